package spend

import "holdfast/core/fault"

// perSearch is what a call of a provider's own tools costs that it bills one by one: $10 and $5 a
// thousand. Source: providers.md §8.4. What others take is not known.
func perSearch(p fault.Provider) Ticks {
	switch p {
	case fault.Anthropic:
		return USD / 100
	case fault.XAI:
		return USD / 200
	}
	return 0
}

// What a million tokens cost, in USD. Sources: providers.md §8.4 and §8.5, of the dates given there.
//
// One line a price:   provider model [from DATE] [above N] input cached write write1h output
//
//	model     the name without its version: "gpt-5" is also gpt-5-2025-08-07, and not gpt-5-mini.
//	          "*" is any model, and "*" as the provider any provider. The longest name counts.
//	from      the day (UTC) from which the line counts; the latest one that has come counts.
//	above     the line counts, for the whole request, when its input has more than N tokens.
//	cached    read from the cache, write and write1h: written to it, for minutes or for an hour.
//	          "-" is the price of input: an unknown discount is none.
//
// What follows "#" is a comment. Not in here: server tools (see perSearch), regional
// endpoints (+10 %), flex and batch (half), priority and fast modes (twice and more). xAI's own bill
// has it all, and is preferred. Of general knowledge: OpenAI's embeddings. Not confirmed: that the
// prices of gpt-5.4 and gpt-5.5 double above 272000 tokens.
//
// A model that nobody knows is deliberately dear: twice the dearest one below. Unknown is not free.
const prices = `
date 2026-10-06

* * 30 30 37.5 60 150

anthropic claude-fable-5     10 1    12.5  20 50
anthropic claude-mythos-5    10 1    12.5  20 50
anthropic claude-opus-5       5 0.5   6.25 10 25
anthropic claude-opus-4-8     5 0.5   6.25 10 25
anthropic claude-opus-4-7     5 0.5   6.25 10 25
anthropic claude-opus-4-6     5 0.5   6.25 10 25
anthropic claude-opus-4-5     5 0.5   6.25 10 25
anthropic claude-opus-4-1    15 1.5  18.75 30 75
anthropic claude-opus-4-0    15 1.5  18.75 30 75
anthropic claude-opus-4      15 1.5  18.75 30 75
anthropic claude-sonnet-5     2 0.2   2.5   4 10
anthropic claude-sonnet-4-6   3 0.3   3.75  6 15
anthropic claude-sonnet-4-5   3 0.3   3.75  6 15
anthropic claude-sonnet-4-0   3 0.3   3.75  6 15
anthropic claude-sonnet-4     3 0.3   3.75  6 15
anthropic claude-haiku-4-5    1 0.1   1.25  2  5

openai gpt-5.6-sol    5    0.5   6.25  - 30
openai gpt-5.6-terra  2.5  0.25  3.125 - 15
openai gpt-5.6-luna   1    0.1   1.25  -  6
openai gpt-5.5        5    0.5   -     - 30
openai gpt-5.5 above 272000 10 1 -     - 60
openai gpt-5.4        2.5  0.25  -     - 15
openai gpt-5.4 above 272000 5 0.5 -    - 30
openai gpt-5.4-mini   0.75 0.075 -     -  4.5
openai gpt-5.4-nano   0.2  0.02  -     -  1.25
openai gpt-5.2        1.75 0.175 -     - 14
openai gpt-5.1        1.25 0.125 -     - 10
openai gpt-5          1.25 0.125 -     - 10
openai gpt-5-mini     0.25 0.025 -     -  2
openai gpt-5-nano     0.05 0.005 -     -  0.4
openai gpt-4.1        2    0.5   -     -  8
openai gpt-4.1-mini   0.4  0.1   -     -  1.6
openai gpt-4.1-nano   0.1  0.025 -     -  0.4
openai gpt-4o         2.5  1.25  -     - 10
openai gpt-4o-mini    0.15 0.075 -     -  0.6
openai o3             2    0.5   -     -  8
openai o4-mini        1.1  0.275 -     -  4.4
openai text-embedding-3-small 0.02 - - - 0
openai text-embedding-3-large 0.13 - - - 0

xai grok-4.7    2    0.5   - -  6
xai grok-4.7 above 200000 4 1 - - 12
xai grok-4.6    2    0.5   - -  6
xai grok-4.6 above 200000 4 1 - - 12
xai grok-4.5    2    0.5   - -  6
xai grok-4.5 above 200000 4 1 - - 12
xai grok-4.3    1.25 0.2   - -  2.5
xai grok-4.3 above 200000 2.5 0.4 - - 5
xai grok-4      3    0.75  - - 15
xai grok-4 above 128000 6 1.5 - - 30
xai grok-3-mini 0.3  0.075 - -  0.5

gemini gemini-3.8-flash 0.75 0.075 - - 3.75
gemini gemini-3.8-flash from 2027-01-01 1.5 0.15 - - 7.5
gemini gemini-3.7-flash 0.75 0.075 - - 3.75
gemini gemini-3.7-flash from 2027-01-01 1.5 0.15 - - 7.5
gemini gemini-2.5-pro 1.25 - - - 10
gemini gemini-2.5-pro above 200000 2.5 - - - 15

gloo gloo-anthropic-claude-sonnet-5.5 2 - - - 10
gloo gloo-anthropic-claude-sonnet-4.6 3 - - - 15
`
