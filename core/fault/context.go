package fault

// A prompt that is longer than the model's context window: the same everywhere, said differently.

var contextRows = []row{
	{0, "context_length_exceeded|model_context_window_exceeded|context_window_exceeded|exceed_context_size_error", "", tooLong},
	{400, "", contextWords, tooLong},
	{413, "", contextWords, tooLong},
	{422, "", contextWords, tooLong},
	{500, "", contextWords, tooLong}, // some servers, and errors inside streams that name no status
}

const contextWords = "context_length_exceeded|prompt is too long|" + // Anthropic
	"exceeds the context window|context window exceed|" + // OpenAI
	"maximum context length|reduce the length of the messages|" +
	"input token count*exceeds the maximum|input token count*only supports up to|" + // Gemini
	"maximum prompt length is|too long for this model|" + // xAI
	"exceed context limit|exceeds the model's context|longer than the model's context|" + // Anthropic, vLLM, SGLang
	"exceeds the available context size|context size has been exceeded|loaded with context length of only|" + // llama.cpp, LM Studio
	"exceeded model token limit|range of input length should be|" + // Moonshot, DashScope
	"context length exceeded|exceeds the maximum context|input is too long|input context is too long"
