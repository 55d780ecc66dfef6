package fault

// Money and quotas, looked at before rate limits: the statuses are the same, the meaning is the
// opposite. Waiting never helps, only paying or another month does.

// moneyRows apply at every provider.
var moneyRows = []row{
	// status, code or type, message, outcome
	{0, "insufficient_quota|exceeded_current_quota_error|token_quota_exhausted", "", quotaSpent},
	{0, "free_usage_exhausted|FreeUsageLimitError", "", quotaSpent},
	{0, "credit_balance_exhausted|insufficient_credits|insufficient_balance|insufficient_funds|minimax_1008", "", unpaid},
	{0, "billing_not_active|billing_error|payment_required|BILLING_DISABLED|arrearage", "", unpaid},
	{0, "organization_spend_limit_exceeded|project_spend_limit_exceeded|organization_usage_limit_exceeded", "", capReached},
	{0, "billing_hard_limit_reached|enforced_spend_limit_reached|contract_spend_limit_reached|spend_limit_exceeded|budget_exceeded", "", capReached},
	{0, "usage_not_included", "", planLacksIt},
	{0, "usage_limit_reached|usage_limit_exceeded|minimax_2056", "", windowSpent}, // ChatGPT's plans: resets_in_seconds

	{0, "", "wke=*spending-limit", capReached}, // xAI's own marker
	{0, "", "wke=*credits", unpaid},
	{0, "", "used all available credits|spending limit", capReached},
	{0, "", "reached your specified*usage limits|reached your api usage limits", capReached}, // Anthropic
	{0, "", "spend limit*reached|reached*spend limit|spending cap*reached|exceeded*spend limit|exceeded*spending cap", capReached},
	{0, "", "credit balance is too low|payment required|ran out of credits|out of credits|insufficient credits|credits are depleted", unpaid},
	{0, "", "insufficient balance|insufficient account balance|insufficient funds|no credits remaining", unpaid},
	{0, "", "billing hard limit", capReached},
	{0, "", "account is not active, please check your billing|requires billing to be enabled|billing account*disabled", unpaid},
	{0, "", "extra usage is required|out of extra usage", planLacksIt}, // Claude's plans: the long context costs extra
	{0, "", "plan does not include|not included in your plan|does not yet include access|upgrade your plan to", planLacksIt},
	{0, "", "usage limit*hour|usage limit*window|session usage limit|session limit reached|weekly usage limit", windowSpent},
	{0, "", "usage limit*reached|reached*usage limit", quotaSpent},
	{0, "", "no remaining quota|quota exhausted|quota has been exhausted|weekly/monthly limit exhausted", quotaSpent},
	{0, "", "out of call volume quota", quotaSpent}, // Azure API Management
	{429, "", "daily rate limit|daily limit|daily quota|daily usage|daily free allocation|per day limit exceeded|too many tokens per day|free-models-per-day", daySpent},

	{402, "", "", unpaid},

	// A refusal that speaks of a quota is no rate limit, and no question of credentials either.
	{403, "", "exceed*quota|quota*exceed|quota*reached|quota*exhausted|quota*used up|quota refreshes|quota will be|not enough*quota|usage limit", quotaSpent},
	{403, "", "key limit exceeded", capReached},  // OpenRouter
	{403, "", "input was flagged", againstRules}, // OpenRouter: "No credits were charged."
	{403, "", "credits|billing", unpaid},
	{401, "", "insufficient*quota|quota*exceeded", quotaSpent},
}

// openaiMoney is left out for Gemini, which says the same words of a limit per minute.
var openaiMoney = []row{
	{0, "", "exceeded your current quota", quotaSpent},
}
