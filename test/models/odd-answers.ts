/**
 * Odd but legal (or plainly readable) answers of servers that speak OpenAI's Chat Completions.
 * Data only. The tool is named `find`; its schema should not require anything, so that `{}` can be told from a
 * refusal. Where `whole.headers` is absent, send `content-type: application/json`; where `streamHeaders` is
 * absent, `content-type: text/event-stream`. `note` says what is arguable. Without `whole` or `stream`, the
 * oddness does not exist in that form. Bodies are to be sent as UTF-8. In `server`, threads with a number were
 * found by search (their excerpts were read); what has none is recalled.
 */
export interface OddAnswer {
  name: string
  server: string
  whole?: { status?: number; headers?: Record<string, string>; body: string }
  stream?: string
  streamHeaders?: Record<string, string>
  expect: {
    text?: string
    calls?: { name: string; arguments: object }[]
    truncated?: boolean
    refused?: string
    retry?: true
    permanent?: true
  }
  note?: string
}

export const oddAnswers: readonly OddAnswer[] = [
  {
    name: 'end word "eos_token"',
    server: 'Text Generation Inference before 2.3 (huggingface/text-generation-inference #2296, PR #2344); IBM watsonx',
    whole: {
      body: '{"id":"chatcmpl-1","object":"chat.completion","created":1764100000,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"Hello"},"finish_reason":"eos_token"}],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}',
    },
    stream:
      'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"content":"Hel"},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"content":"lo"},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"eos_token"}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}\n\ndata: [DONE]\n\n',
    expect: {
      text: 'Hello',
    },
  },
  {
    name: 'end word "eos"',
    server: 'Together AI (vibrantlabsai/ragas #1548)',
    whole: {
      body: '{"id":"chatcmpl-1","object":"chat.completion","created":1764100000,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"Hello"},"finish_reason":"eos"}],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}',
    },
    stream:
      'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"content":"Hel"},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"content":"lo"},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"eos"}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}\n\ndata: [DONE]\n\n',
    expect: {
      text: 'Hello',
    },
  },
  {
    name: 'end word "end_turn"',
    server: 'gateways that pass Anthropic\u2019s stop_reason through',
    whole: {
      body: '{"id":"chatcmpl-1","object":"chat.completion","created":1764100000,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"Hello"},"finish_reason":"end_turn"}],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}',
    },
    stream:
      'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"content":"Hel"},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"content":"lo"},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"end_turn"}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}\n\ndata: [DONE]\n\n',
    expect: {
      text: 'Hello',
    },
  },
  {
    name: 'end word "STOP"',
    server: 'gateways that pass Gemini\u2019s finishReason through',
    whole: {
      body: '{"id":"chatcmpl-1","object":"chat.completion","created":1764100000,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"Hello"},"finish_reason":"STOP"}],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}',
    },
    stream:
      'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"content":"Hel"},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"content":"lo"},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"STOP"}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}\n\ndata: [DONE]\n\n',
    expect: {
      text: 'Hello',
    },
  },
  {
    name: 'end word ""',
    server: 'SGLang and others (dstackai/dstack #2228, PR #2229)',
    whole: {
      body: '{"id":"chatcmpl-1","object":"chat.completion","created":1764100000,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"Hello"},"finish_reason":""}],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}',
    },
    stream:
      'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"content":"Hel"},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"content":"lo"},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":""}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}\n\ndata: [DONE]\n\n',
    expect: {
      text: 'Hello',
    },
  },
  {
    name: 'end word null to the end, but usage and [DONE] came',
    server: 'small proxies; Azure content filter chunks',
    whole: {
      body: '{"id":"chatcmpl-1","object":"chat.completion","created":1764100000,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"Hello"},"finish_reason":null}],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}',
    },
    stream:
      'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"content":"Hel"},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"content":"lo"},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}\n\ndata: [DONE]\n\n',
    expect: {
      text: 'Hello',
    },
    note: 'the terminator [DONE] (or the closed JSON) says that the answer is whole',
  },
  {
    name: 'finish_reason absent everywhere, [DONE] came',
    server: 'small proxies',
    whole: {
      body: '{"id":"chatcmpl-1","object":"chat.completion","created":1764100000,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"Hello"}}],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}',
    },
    stream:
      'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":""}}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"content":"Hel"}}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"content":"lo"}}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{}}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}\n\ndata: [DONE]\n\n',
    expect: {
      text: 'Hello',
    },
  },
  {
    name: 'end word is a number',
    server: 'home-made servers that send an enum',
    whole: {
      body: '{"id":"chatcmpl-1","object":"chat.completion","created":1764100000,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"Hello"},"finish_reason":0}],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}',
    },
    stream:
      'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"content":"Hel"},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"content":"lo"},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":0}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}\n\ndata: [DONE]\n\n',
    expect: {
      text: 'Hello',
    },
  },
  {
    name: 'end word is an object',
    server:
      'SGLang\u2019s native finish reason passed through: {"type":"stop","matched":151645} (compare sgl-project/sglang #2877)',
    whole: {
      body: '{"id":"chatcmpl-1","object":"chat.completion","created":1764100000,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"Hello"},"finish_reason":{"type":"stop","matched":151645}}],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}',
    },
    stream:
      'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"content":"Hel"},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"content":"lo"},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":{"type":"stop","matched":151645}}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}\n\ndata: [DONE]\n\n',
    expect: {
      text: 'Hello',
    },
  },
  {
    name: 'end word "MAX_TOKENS"',
    server: 'gateways that pass Gemini\u2019s finishReason through; fms-guardrails-orchestrator #74',
    whole: {
      body: '{"id":"chatcmpl-1","object":"chat.completion","created":1764100000,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"Hello"},"finish_reason":"MAX_TOKENS"}],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}',
    },
    stream:
      'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"content":"Hel"},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"content":"lo"},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"MAX_TOKENS"}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}\n\ndata: [DONE]\n\n',
    expect: {
      text: 'Hello',
      truncated: true,
    },
  },
  {
    name: 'end word "LENGTH"',
    server: 'Java servers that serialize their enum\u2019s name',
    whole: {
      body: '{"id":"chatcmpl-1","object":"chat.completion","created":1764100000,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"Hello"},"finish_reason":"LENGTH"}],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}',
    },
    stream:
      'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"content":"Hel"},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"content":"lo"},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"LENGTH"}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}\n\ndata: [DONE]\n\n',
    expect: {
      text: 'Hello',
      truncated: true,
    },
  },
  {
    name: 'end word "max_tokens"',
    server: 'gateways that pass Anthropic\u2019s stop_reason through',
    whole: {
      body: '{"id":"chatcmpl-1","object":"chat.completion","created":1764100000,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"Hello"},"finish_reason":"max_tokens"}],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}',
    },
    stream:
      'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"content":"Hel"},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"content":"lo"},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"max_tokens"}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}\n\ndata: [DONE]\n\n',
    expect: {
      text: 'Hello',
      truncated: true,
    },
  },
  {
    name: 'end word "model_length"',
    server: 'Mistral (documented value of finish_reason)',
    whole: {
      body: '{"id":"chatcmpl-1","object":"chat.completion","created":1764100000,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"Hello"},"finish_reason":"model_length"}],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}',
    },
    stream:
      'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"content":"Hel"},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"content":"lo"},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"model_length"}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}\n\ndata: [DONE]\n\n',
    expect: {
      text: 'Hello',
      truncated: true,
    },
  },
  {
    name: 'end word content_filter after half a text',
    server: 'Azure OpenAI, OpenAI',
    whole: {
      body: '{"id":"chatcmpl-1","object":"chat.completion","created":1764100000,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"Hello"},"finish_reason":"content_filter"}],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}',
    },
    stream:
      'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"content":"Hel"},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"content":"lo"},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"content_filter"}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}\n\ndata: [DONE]\n\n',
    expect: {
      refused: 'content_filter',
    },
    note: 'asking again changes nothing; "Hello" must not pass for the whole answer',
  },
  {
    name: 'end word content_filter and content null',
    server: 'Azure OpenAI',
    whole: {
      body: '{"id":"chatcmpl-1","object":"chat.completion","created":1764100000,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":null},"finish_reason":"content_filter"}],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}',
    },
    stream:
      'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":null},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"content_filter"}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}\n\ndata: [DONE]\n\n',
    expect: {
      refused: 'content_filter',
    },
  },
  {
    name: 'end word insufficient_system_resource',
    server: 'DeepSeek (documented: the inference was interrupted for want of resources)',
    whole: {
      body: '{"id":"chatcmpl-1","object":"chat.completion","created":1764100000,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"Hello"},"finish_reason":"insufficient_system_resource"}],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}',
    },
    stream:
      'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"content":"Hel"},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"content":"lo"},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"insufficient_system_resource"}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}\n\ndata: [DONE]\n\n',
    expect: {
      retry: true,
    },
    note: 'if not asked again, the word must at least be named',
  },
  {
    name: 'end word error with an error beside the choice',
    server: 'OpenRouter (documented: errors after the first token)',
    whole: {
      body: '{"id":"chatcmpl-1","object":"chat.completion","created":1764100000,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":""},"finish_reason":"error","error":{"code":502,"message":"Provider returned error"}}],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}',
    },
    stream:
      'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":"Hel"},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"content":""},"finish_reason":"error"}],"error":{"code":502,"message":"Provider disconnected"}}\n\ndata: [DONE]\n\n',
    expect: {
      retry: true,
    },
  },
  {
    name: 'tool calls with finish stop',
    server:
      'SGLang #2877, OpenVINO model_server #3927, mlx-vlm PR #990; OpenAI itself with a named tool_choice (vllm-project/vllm PR #25054)',
    whole: {
      body: '{"id":"chatcmpl-1","object":"chat.completion","created":1764100000,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"find","arguments":"{\\"id\\":\\"7\\"}"}}]},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}',
    },
    stream:
      'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":null},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"find","arguments":"{\\"id\\":\\"7\\"}"}}]},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}\n\ndata: [DONE]\n\n',
    expect: {
      calls: [
        {
          name: 'find',
          arguments: {
            id: '7',
          },
        },
      ],
    },
  },
  {
    name: 'tool calls with finish tool_call',
    server: 'mlx-lm before PR #782',
    whole: {
      body: '{"id":"chatcmpl-1","object":"chat.completion","created":1764100000,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"find","arguments":"{\\"id\\":\\"7\\"}"}}]},"finish_reason":"tool_call"}],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}',
    },
    stream:
      'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":null},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"find","arguments":"{\\"id\\":\\"7\\"}"}}]},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"tool_call"}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}\n\ndata: [DONE]\n\n',
    expect: {
      calls: [
        {
          name: 'find',
          arguments: {
            id: '7',
          },
        },
      ],
    },
  },
  {
    name: 'tool_calls [] with finish tool_calls and a text',
    server: 'vLLM, LM Studio',
    whole: {
      body: '{"id":"chatcmpl-1","object":"chat.completion","created":1764100000,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"Hello","tool_calls":[]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}',
    },
    stream:
      'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":"Hello","tool_calls":[]},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"tool_calls":[]},"finish_reason":"tool_calls"}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}\n\ndata: [DONE]\n\n',
    expect: {
      text: 'Hello',
    },
  },
  {
    name: 'tool_calls [] with finish tool_calls and no text',
    server: 'vLLM, LM Studio',
    whole: {
      body: '{"id":"chatcmpl-1","object":"chat.completion","created":1764100000,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}',
    },
    stream:
      'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":null,"tool_calls":[]},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}\n\ndata: [DONE]\n\n',
    expect: {
      refused: 'tool_calls',
    },
    note: 'an empty answer; to tell the model once is right, too',
  },
  {
    name: 'tool_calls null beside a text',
    server: 'Together, Fireworks, vLLM',
    whole: {
      body: '{"id":"chatcmpl-1","object":"chat.completion","created":1764100000,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"Hello","tool_calls":null,"function_call":null,"refusal":null,"audio":null,"annotations":null},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}',
    },
    stream:
      'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":"Hello","tool_calls":null,"function_call":null},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"content":null,"tool_calls":null},"finish_reason":"stop"}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}\n\ndata: [DONE]\n\n',
    expect: {
      text: 'Hello',
    },
  },
  {
    name: 'half of the arguments with finish length',
    server: 'vLLM, every server with max_tokens',
    whole: {
      body: '{"id":"chatcmpl-1","object":"chat.completion","created":1764100000,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"find","arguments":"{\\"id\\":"}}]},"finish_reason":"length"}],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}',
    },
    stream:
      'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":null},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"find","arguments":""}}]},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\\"id\\":"}}]},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"length"}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}\n\ndata: [DONE]\n\n',
    expect: {
      truncated: true,
    },
    note: 'the tool must not be called',
  },
  {
    name: 'arguments absent',
    server: 'servers that leave out what is empty (Go\u2019s omitempty)',
    whole: {
      body: '{"id":"chatcmpl-1","object":"chat.completion","created":1764100000,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"find"}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}',
    },
    stream:
      'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":null},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"find"}}]},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}\n\ndata: [DONE]\n\n',
    expect: {
      calls: [
        {
          name: 'find',
          arguments: {},
        },
      ],
    },
    note: '{} is meant; whether the tool takes {} is its schema\u2019s business',
  },
  {
    name: 'arguments null',
    server: 'langchain-ai/langchain PR #34242, simonw/llm #1521 (Meta)',
    whole: {
      body: '{"id":"chatcmpl-1","object":"chat.completion","created":1764100000,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"find","arguments":null}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}',
    },
    stream:
      'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":null},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"find","arguments":null}}]},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}\n\ndata: [DONE]\n\n',
    expect: {
      calls: [
        {
          name: 'find',
          arguments: {},
        },
      ],
    },
  },
  {
    name: 'arguments ""',
    server: 'vercel/ai #6687, openai/openai-agents-js #664, OpenRouter with Anthropic models (simonw/llm PR #1164)',
    whole: {
      body: '{"id":"chatcmpl-1","object":"chat.completion","created":1764100000,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"find","arguments":""}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}',
    },
    stream:
      'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":null},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"find","arguments":""}}]},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}\n\ndata: [DONE]\n\n',
    expect: {
      calls: [
        {
          name: 'find',
          arguments: {},
        },
      ],
    },
  },
  {
    name: 'arguments is an object',
    server: 'Ollama\u2019s native shape behind a thin proxy; TGI 2.x',
    whole: {
      body: '{"id":"chatcmpl-1","object":"chat.completion","created":1764100000,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"find","arguments":{"id":"7"}}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}',
    },
    stream:
      'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":null},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"find","arguments":{"id":"7"}}}]},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}\n\ndata: [DONE]\n\n',
    expect: {
      calls: [
        {
          name: 'find',
          arguments: {
            id: '7',
          },
        },
      ],
    },
  },
  {
    name: 'arguments is an array with one object',
    server: 'models that imitate a list of calls, passed through by small servers',
    whole: {
      body: '{"id":"chatcmpl-1","object":"chat.completion","created":1764100000,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"find","arguments":"[{\\"id\\":\\"7\\"}]"}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}',
    },
    stream:
      'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":null},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"find","arguments":"[{\\"id\\":"}}]},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"\\"7\\"}]"}}]},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}\n\ndata: [DONE]\n\n',
    expect: {
      calls: [
        {
          name: 'find',
          arguments: {
            id: '7',
          },
        },
      ],
    },
    note: 'arguable: a refusal that names arguments is honest as well; a call with {} or with the array is wrong',
  },
  {
    name: 'arguments is an array with two objects',
    server: 'as above',
    whole: {
      body: '{"id":"chatcmpl-1","object":"chat.completion","created":1764100000,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"find","arguments":"[{\\"id\\":\\"7\\"},{\\"id\\":\\"8\\"}]"}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}',
    },
    stream:
      'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":null},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"find","arguments":"[{\\"id\\":\\"7\\"},{\\"id\\":\\"8\\"}]"}}]},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}\n\ndata: [DONE]\n\n',
    expect: {
      refused: 'arguments',
    },
    note: 'nobody can say which is meant; telling the model is right',
  },
  {
    name: 'arguments is JSON in JSON',
    server: 'proxies that encode twice (tailcallhq/forgecode PR #2764)',
    whole: {
      body: '{"id":"chatcmpl-1","object":"chat.completion","created":1764100000,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"find","arguments":"\\"{\\\\\\"id\\\\\\":\\\\\\"7\\\\\\"}\\""}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}',
    },
    stream:
      'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":null},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"find","arguments":"\\"{\\\\\\"id\\\\\\":\\\\\\"7\\\\\\"}\\""}}]},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}\n\ndata: [DONE]\n\n',
    expect: {
      calls: [
        {
          name: 'find',
          arguments: {
            id: '7',
          },
        },
      ],
    },
  },
  {
    name: 'arguments with white space around',
    server: 'llama.cpp, vLLM (models that end their call with a line feed)',
    whole: {
      body: '{"id":"chatcmpl-1","object":"chat.completion","created":1764100000,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"find","arguments":"\\n {\\"id\\":\\"7\\"} \\n\\t"}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}',
    },
    stream:
      'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":null},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"find","arguments":""}}]},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"\\n {\\"id\\":\\"7\\"}"}}]},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":" \\n"}}]},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"\\t"}}]},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}\n\ndata: [DONE]\n\n',
    expect: {
      calls: [
        {
          name: 'find',
          arguments: {
            id: '7',
          },
        },
      ],
    },
    note: 'in the stream the JSON is complete before the last pieces come: one call, not two',
  },
  {
    name: 'arguments with a BOM before it',
    server: '.NET servers',
    whole: {
      body: '{"id":"chatcmpl-1","object":"chat.completion","created":1764100000,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"find","arguments":"\ufeff{\\"id\\":\\"7\\"}"}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}',
    },
    stream:
      'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":null},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"find","arguments":"\ufeff{\\"id\\":\\"7\\"}"}}]},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}\n\ndata: [DONE]\n\n',
    expect: {
      calls: [
        {
          name: 'find',
          arguments: {
            id: '7',
          },
        },
      ],
    },
  },
  {
    name: 'arguments in Python\u2019s notation',
    server: 'llama.cpp and vLLM with weak models',
    whole: {
      body: '{"id":"chatcmpl-1","object":"chat.completion","created":1764100000,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"find","arguments":"{\'id\': \'7\'}"}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}',
    },
    stream:
      'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":null},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"find","arguments":"{\'id\': \'7\'}"}}]},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}\n\ndata: [DONE]\n\n',
    expect: {
      refused: 'arguments',
    },
    note: 'not JSON: the model is told, nothing is guessed',
  },
  {
    name: 'call id absent',
    server: 'StepFun (iOfficeAI/aionrs PR #99), Gemini\u2019s compatible endpoint (openai/openai-dotnet #428)',
    whole: {
      body: '{"id":"chatcmpl-1","object":"chat.completion","created":1764100000,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"type":"function","function":{"name":"find","arguments":"{\\"id\\":\\"7\\"}"}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}',
    },
    stream:
      'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":null},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"type":"function","function":{"name":"find","arguments":"{\\"id\\":\\"7\\"}"}}]},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}\n\ndata: [DONE]\n\n',
    expect: {
      calls: [
        {
          name: 'find',
          arguments: {
            id: '7',
          },
        },
      ],
    },
    note: 'an id must be made: the next request needs one',
  },
  {
    name: 'call id null',
    server: 'chatanywhere, open Mixtral at Mistral (mistralai/client-js #69)',
    whole: {
      body: '{"id":"chatcmpl-1","object":"chat.completion","created":1764100000,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":null,"type":"function","function":{"name":"find","arguments":"{\\"id\\":\\"7\\"}"}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}',
    },
    stream:
      'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":null},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":null,"type":"function","function":{"name":"find","arguments":"{\\"id\\":\\"7\\"}"}}]},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}\n\ndata: [DONE]\n\n',
    expect: {
      calls: [
        {
          name: 'find',
          arguments: {
            id: '7',
          },
        },
      ],
    },
  },
  {
    name: 'two calls with the same id',
    server: 'openclaw/openclaw PR #40996, OpenBMB/PilotDeck PR #294',
    whole: {
      body: '{"id":"chatcmpl-1","object":"chat.completion","created":1764100000,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"find","arguments":"{\\"id\\":\\"7\\"}"}},{"id":"call_1","type":"function","function":{"name":"find","arguments":"{\\"id\\":\\"8\\"}"}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}',
    },
    stream:
      'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":null},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"find","arguments":"{\\"id\\":\\"7\\"}"}}]},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"id":"call_1","type":"function","function":{"name":"find","arguments":"{\\"id\\":\\"8\\"}"}}]},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}\n\ndata: [DONE]\n\n',
    expect: {
      calls: [
        {
          name: 'find',
          arguments: {
            id: '7',
          },
        },
        {
          name: 'find',
          arguments: {
            id: '8',
          },
        },
      ],
    },
    note: 'two calls; the ids sent back to the model differ',
  },
  {
    name: 'two calls with empty ids',
    server: 'Gemini\u2019s compatible endpoint (openai/openai-dotnet #428, pydantic-ai PR #1892)',
    whole: {
      body: '{"id":"chatcmpl-1","object":"chat.completion","created":1764100000,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"","type":"function","function":{"name":"find","arguments":"{\\"id\\":\\"7\\"}"}},{"id":"","type":"function","function":{"name":"find","arguments":"{\\"id\\":\\"8\\"}"}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}',
    },
    stream:
      'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":null},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"","type":"function","function":{"name":"find","arguments":"{\\"id\\":\\"7\\"}"}}]},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"id":"","type":"function","function":{"name":"find","arguments":"{\\"id\\":\\"8\\"}"}}]},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}\n\ndata: [DONE]\n\n',
    expect: {
      calls: [
        {
          name: 'find',
          arguments: {
            id: '7',
          },
        },
        {
          name: 'find',
          arguments: {
            id: '8',
          },
        },
      ],
    },
  },
  {
    name: 'call ids are numbers',
    server: 'home-made servers',
    whole: {
      body: '{"id":"chatcmpl-1","object":"chat.completion","created":1764100000,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":0,"type":"function","function":{"name":"find","arguments":"{\\"id\\":\\"7\\"}"}},{"id":1,"type":"function","function":{"name":"find","arguments":"{\\"id\\":\\"8\\"}"}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}',
    },
    stream:
      'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":null},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":0,"type":"function","function":{"name":"find","arguments":"{\\"id\\":\\"7\\"}"}}]},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"id":1,"type":"function","function":{"name":"find","arguments":"{\\"id\\":\\"8\\"}"}}]},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}\n\ndata: [DONE]\n\n',
    expect: {
      calls: [
        {
          name: 'find',
          arguments: {
            id: '7',
          },
        },
        {
          name: 'find',
          arguments: {
            id: '8',
          },
        },
      ],
    },
  },
  {
    name: 'index absent, two whole calls in one chunk',
    server: 'Ollama #7881, Gemini (openai/openai-python #2806), Xinference #3634',
    stream:
      'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":null},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"id":"call_1","type":"function","function":{"name":"find","arguments":"{\\"id\\":\\"7\\"}"}},{"id":"call_2","type":"function","function":{"name":"find","arguments":"{\\"id\\":\\"8\\"}"}}]},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}\n\ndata: [DONE]\n\n',
    expect: {
      calls: [
        {
          name: 'find',
          arguments: {
            id: '7',
          },
        },
        {
          name: 'find',
          arguments: {
            id: '8',
          },
        },
      ],
    },
  },
  {
    name: 'index absent, one call in pieces',
    server: 'AstrBotDevs/AstrBot PR #6692, openai/openai-python PR #3246',
    stream:
      'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":null},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"id":"call_1","type":"function","function":{"name":"find","arguments":""}}]},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"function":{"arguments":"{\\"id\\":"}}]},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"function":{"arguments":"\\"7\\"}"}}]},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}\n\ndata: [DONE]\n\n',
    expect: {
      calls: [
        {
          name: 'find',
          arguments: {
            id: '7',
          },
        },
      ],
    },
  },
  {
    name: 'index null',
    server: 'chatanywhere (GPT_API_free #254)',
    stream:
      'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":null},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"index":null,"id":"call_1","type":"function","function":{"name":"find","arguments":"{\\"id\\":\\"7\\"}"}}]},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"index":null,"id":"call_2","type":"function","function":{"name":"find","arguments":"{\\"id\\":\\"8\\"}"}}]},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}\n\ndata: [DONE]\n\n',
    expect: {
      calls: [
        {
          name: 'find',
          arguments: {
            id: '7',
          },
        },
        {
          name: 'find',
          arguments: {
            id: '8',
          },
        },
      ],
    },
    note: 'two ids, two calls',
  },
  {
    name: 'index as text',
    server: 'home-made servers',
    stream:
      'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":null},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"index":"0","id":"call_1","type":"function","function":{"name":"find","arguments":"{\\"id\\":"}}]},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"index":"0","function":{"arguments":"\\"7\\"}"}}]},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"index":"1","id":"call_2","type":"function","function":{"name":"find","arguments":"{\\"id\\":\\"8\\"}"}}]},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}\n\ndata: [DONE]\n\n',
    expect: {
      calls: [
        {
          name: 'find',
          arguments: {
            id: '7',
          },
        },
        {
          name: 'find',
          arguments: {
            id: '8',
          },
        },
      ],
    },
  },
  {
    name: 'index 0 for every call, ids differ',
    server: 'Ollama #15457',
    stream:
      'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":null},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"find","arguments":"{\\"id\\":\\"7\\"}"}}]},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_2","type":"function","function":{"name":"find","arguments":"{\\"id\\":\\"8\\"}"}}]},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}\n\ndata: [DONE]\n\n',
    expect: {
      calls: [
        {
          name: 'find',
          arguments: {
            id: '7',
          },
        },
        {
          name: 'find',
          arguments: {
            id: '8',
          },
        },
      ],
    },
    note: 'a new id and a name begin a new call',
  },
  {
    name: 'index begins at 1',
    server: 'DeepSeek (compare marimo-team/marimo #7330, index out of range), Anthropic behind gateways',
    stream:
      'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":null},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"id":"call_1","type":"function","function":{"name":"find","arguments":"{\\"id\\":"}}]},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"function":{"arguments":"\\"7\\"}"}}]},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}\n\ndata: [DONE]\n\n',
    expect: {
      calls: [
        {
          name: 'find',
          arguments: {
            id: '7',
          },
        },
      ],
    },
  },
  {
    name: 'index -1',
    server: 'aws-samples/bedrock-access-gateway #203, PR #247',
    stream:
      'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":null},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"index":-1,"id":"call_1","type":"function","function":{"name":"find","arguments":""}}]},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"index":-1,"function":{"arguments":"{\\"id\\":\\"7\\"}"}}]},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}\n\ndata: [DONE]\n\n',
    expect: {
      calls: [
        {
          name: 'find',
          arguments: {
            id: '7',
          },
        },
      ],
    },
  },
  {
    name: 'later pieces repeat id, type and name',
    server: 'Qwen servers, Xinference',
    stream:
      'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":null},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"find","arguments":"{\\"id\\":"}}]},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"find","arguments":"\\"7\\"}"}}]},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}\n\ndata: [DONE]\n\n',
    expect: {
      calls: [
        {
          name: 'find',
          arguments: {
            id: '7',
          },
        },
      ],
    },
    note: 'find, not findfind; one call',
  },
  {
    name: 'later pieces have id "" and name null or ""',
    server: 'DashScope; vLLM (name null)',
    stream:
      'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":null},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"find","arguments":""}}]},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"","type":"function","function":{"name":null,"arguments":"{\\"id\\":"}}]},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"","type":"","function":{"name":"","arguments":"\\"7\\"}"}}]},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}\n\ndata: [DONE]\n\n',
    expect: {
      calls: [
        {
          name: 'find',
          arguments: {
            id: '7',
          },
        },
      ],
    },
  },
  {
    name: 'function type absent',
    server: 'Mistral, Gemini',
    whole: {
      body: '{"id":"chatcmpl-1","object":"chat.completion","created":1764100000,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","function":{"name":"find","arguments":"{\\"id\\":\\"7\\"}"}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}',
    },
    stream:
      'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":null},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_1","function":{"name":"find","arguments":"{\\"id\\":\\"7\\"}"}}]},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}\n\ndata: [DONE]\n\n',
    expect: {
      calls: [
        {
          name: 'find',
          arguments: {
            id: '7',
          },
        },
      ],
    },
  },
  {
    name: 'legacy function_call',
    server: 'OpenAI before November 2023, old FastChat and LocalAI',
    whole: {
      body: '{"id":"chatcmpl-1","object":"chat.completion","created":1764100000,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":null,"function_call":{"name":"find","arguments":"{\\"id\\":\\"7\\"}"}},"finish_reason":"function_call"}],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}',
    },
    stream:
      'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":null,"function_call":{"name":"find","arguments":""}},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"function_call":{"arguments":"{\\"id\\":"}},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"function_call":{"arguments":"\\"7\\"}"}},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"function_call"}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}\n\ndata: [DONE]\n\n',
    expect: {
      calls: [
        {
          name: 'find',
          arguments: {
            id: '7',
          },
        },
      ],
    },
    note: 'arguable: if it is not carried out, function_call must be named; never an empty answer',
  },
  {
    name: 'content "" with calls',
    server: 'Ollama, vLLM',
    whole: {
      body: '{"id":"chatcmpl-1","object":"chat.completion","created":1764100000,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"","tool_calls":[{"id":"call_1","type":"function","function":{"name":"find","arguments":"{\\"id\\":\\"7\\"}"}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}',
    },
    stream:
      'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"content":"","tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"find","arguments":"{\\"id\\":\\"7\\"}"}}]},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"content":""},"finish_reason":"tool_calls"}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}\n\ndata: [DONE]\n\n',
    expect: {
      calls: [
        {
          name: 'find',
          arguments: {
            id: '7',
          },
        },
      ],
    },
  },
  {
    name: 'content absent with calls',
    server: 'Go\u2019s omitempty',
    whole: {
      body: '{"id":"chatcmpl-1","object":"chat.completion","created":1764100000,"model":"m","choices":[{"index":0,"message":{"role":"assistant","tool_calls":[{"id":"call_1","type":"function","function":{"name":"find","arguments":"{\\"id\\":\\"7\\"}"}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}',
    },
    stream:
      'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"find","arguments":"{\\"id\\":\\"7\\"}"}}]},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}\n\ndata: [DONE]\n\n',
    expect: {
      calls: [
        {
          name: 'find',
          arguments: {
            id: '7',
          },
        },
      ],
    },
  },
  {
    name: 'content is a list of text parts',
    server: 'vercel/ai #13703, Mistral; Databricks',
    whole: {
      body: '{"id":"chatcmpl-1","object":"chat.completion","created":1764100000,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":[{"type":"text","text":"Hel"},{"type":"text","text":"lo"}]},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}',
    },
    stream:
      'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":[{"type":"text","text":"Hel"}]},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"content":[{"type":"text","text":"lo"}]},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}\n\ndata: [DONE]\n\n',
    expect: {
      text: 'Hello',
    },
  },
  {
    name: 'content is a list with thinking and an unknown part',
    server: 'Mistral\u2019s Magistral (spring-ai #5019, req_llm #742, meilisearch PR #6327)',
    whole: {
      body: '{"id":"chatcmpl-1","object":"chat.completion","created":1764100000,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":[{"type":"thinking","thinking":[{"type":"text","text":"Hm."}]},{"type":"reference","reference_ids":[1]},{"type":"text","text":"Hello"}]},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}',
    },
    stream:
      'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":[{"type":"thinking","thinking":[{"type":"text","text":"Hm."}]}]},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"content":[{"type":"reference","reference_ids":[1]},{"type":"text","text":"Hello"}]},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}\n\ndata: [DONE]\n\n',
    expect: {
      text: 'Hello',
    },
    note: 'the thoughts are no part of the text',
  },
  {
    name: 'content null with a refusal',
    server: 'OpenAI (documented member refusal)',
    whole: {
      body: '{"id":"chatcmpl-1","object":"chat.completion","created":1764100000,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":null,"refusal":"I cannot help with that."},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}',
    },
    stream:
      'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":null,"refusal":""},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"refusal":"I cannot help"},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"refusal":" with that."},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}\n\ndata: [DONE]\n\n',
    expect: {
      refused: 'refusal',
    },
    note: 'the model\u2019s words should be shown; not asked again',
  },
  {
    name: 'role missing',
    server: 'Cloudflare, Go\u2019s omitempty',
    whole: {
      body: '{"id":"chatcmpl-1","object":"chat.completion","created":1764100000,"model":"m","choices":[{"index":0,"message":{"content":"Hello"},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}',
    },
    stream:
      'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"content":"Hel"},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"content":"lo"},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}\n\ndata: [DONE]\n\n',
    expect: {
      text: 'Hello',
    },
  },
  {
    name: 'reasoning null and reasoning_content ""',
    server: 'OpenRouter, DeepSeek, vLLM, SGLang',
    whole: {
      body: '{"id":"chatcmpl-1","object":"chat.completion","created":1764100000,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"Hello","reasoning":null,"reasoning_content":"","reasoning_details":null},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}',
    },
    stream:
      'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":"","reasoning":null,"reasoning_content":""},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"content":"Hello","reasoning":null,"reasoning_content":null},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"content":null,"reasoning_content":""},"finish_reason":"stop"}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}\n\ndata: [DONE]\n\n',
    expect: {
      text: 'Hello',
    },
  },
  {
    name: 'delta and message in every chunk',
    server: 'Perplexity (message holds all the text so far)',
    stream:
      'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":"Hel"},"finish_reason":null,"message":{"role":"assistant","content":"Hel"}}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"content":"lo"},"finish_reason":null,"message":{"role":"assistant","content":"Hello"}}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"content":""},"finish_reason":"stop","message":{"role":"assistant","content":"Hello"}}],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}\n\ndata: [DONE]\n\n',
    expect: {
      text: 'Hello',
    },
    note: 'not doubled',
  },
  {
    name: 'usage absent',
    server: 'llama.cpp before include_usage, many proxies',
    whole: {
      body: '{"id":"chatcmpl-1","object":"chat.completion","created":1764100000,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"Hello"},"finish_reason":"stop"}]}',
    },
    stream:
      'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":"Hello"},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n',
    expect: {
      text: 'Hello',
    },
  },
  {
    name: 'usage null',
    server: 'Azure (usage null in each chunk)',
    whole: {
      body: '{"id":"chatcmpl-1","object":"chat.completion","created":1764100000,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"Hello"},"finish_reason":"stop"}],"usage":null}',
    },
    stream:
      'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":"Hello"},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[],"usage":null}\n\ndata: [DONE]\n\n',
    expect: {
      text: 'Hello',
    },
  },
  {
    name: 'usage in text numbers',
    server: 'home-made servers',
    whole: {
      body: '{"id":"chatcmpl-1","object":"chat.completion","created":1764100000,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"Hello"},"finish_reason":"stop"}],"usage":{"prompt_tokens":"9","completion_tokens":"1","total_tokens":"10"}}',
    },
    stream:
      'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":"Hello"},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[],"usage":{"prompt_tokens":"9","completion_tokens":"1","total_tokens":"10"}}\n\ndata: [DONE]\n\n',
    expect: {
      text: 'Hello',
    },
    note: '9 in, 1 out',
  },
  {
    name: 'usage in floats',
    server: 'Python servers that divide; JSON writers that print 9.0',
    whole: {
      body: '{"id":"chatcmpl-1","object":"chat.completion","created":1764100000,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"Hello"},"finish_reason":"stop"}],"usage":{"prompt_tokens":9.5,"completion_tokens":1.5,"total_tokens":11}}',
    },
    stream:
      'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":"Hello"},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[],"usage":{"prompt_tokens":9.5,"completion_tokens":1.5,"total_tokens":11}}\n\ndata: [DONE]\n\n',
    expect: {
      text: 'Hello',
    },
    note: 'no count may break the ledger (round up)',
  },
  {
    name: 'usage with prompt_tokens only',
    server: 'embedding proxies; cancelled answers',
    whole: {
      body: '{"id":"chatcmpl-1","object":"chat.completion","created":1764100000,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"Hello"},"finish_reason":"stop"}],"usage":{"prompt_tokens":9}}',
    },
    stream:
      'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":"Hello"},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[],"usage":{"prompt_tokens":9}}\n\ndata: [DONE]\n\n',
    expect: {
      text: 'Hello',
    },
  },
  {
    name: 'usage with details null',
    server: 'vLLM (prompt_tokens_details null), Fireworks',
    whole: {
      body: '{"id":"chatcmpl-1","object":"chat.completion","created":1764100000,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"Hello"},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10,"prompt_tokens_details":null,"completion_tokens_details":null}}',
    },
    stream:
      'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":"Hello"},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10,"prompt_tokens_details":null,"completion_tokens_details":null}}\n\ndata: [DONE]\n\n',
    expect: {
      text: 'Hello',
    },
  },
  {
    name: 'usage in every chunk',
    server: 'vLLM and SGLang with continuous_usage_stats (pydantic-ai PR #4056), Perplexity',
    stream:
      'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}],"usage":{"prompt_tokens":9,"completion_tokens":0,"total_tokens":9}}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"content":"Hel"},"finish_reason":null}],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"content":"lo"},"finish_reason":null}],"usage":{"prompt_tokens":9,"completion_tokens":2,"total_tokens":11}}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":2,"total_tokens":11}}\n\ndata: [DONE]\n\n',
    expect: {
      text: 'Hello',
    },
    note: 'cumulative: 9 in and 2 out, not the sum',
  },
  {
    name: 'usage in x_groq only',
    server: 'Groq',
    stream:
      'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":"Hello"},"finish_reason":null}],"x_groq":{"id":"req_1"}}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"x_groq":{"id":"req_1","usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}}\n\ndata: [DONE]\n\n',
    expect: {
      text: 'Hello',
    },
  },
  {
    name: 'choices [] before, between and after',
    server: 'Azure OpenAI (prompt_filter_results first: semantic-kernel #3650, autogen #6465)',
    stream:
      'data: {"id":"","object":"","created":0,"model":"","choices":[],"prompt_filter_results":[{"prompt_index":0,"content_filter_results":{}}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"content":"Hel"},"finish_reason":null}]}\n\ndata: {"id":"","object":"chat.completion.chunk","created":0,"model":"","choices":[]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"content":"lo"},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}\n\ndata: {"id":"","object":"","created":0,"model":"","choices":[]}\n\ndata: [DONE]\n\n',
    expect: {
      text: 'Hello',
    },
  },
  {
    name: 'comments, event:, id: and retry: lines',
    server: 'OpenRouter (": OPENROUTER PROCESSING"), DeepSeek (": keep-alive"), sse-starlette',
    stream:
      ': OPENROUTER PROCESSING\n\nretry: 3000\n\nevent: message\nid: 0\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}\n\n: keep-alive\n\nevent: message\nid: 1\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"content":"Hel"},"finish_reason":null}]}\n\n: keep-alive\n\nevent: message\nid: 2\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"content":"lo"},"finish_reason":null}]}\n\n: keep-alive\n\nevent: message\nid: 3\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n: keep-alive\n\nevent: message\nid: 4\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}\n\n: keep-alive\n\nevent: done\ndata: [DONE]\n\n',
    expect: {
      text: 'Hello',
    },
  },
  {
    name: 'empty data lines as pings',
    server: 'nginx and home-made proxies',
    stream:
      'data:\n\ndata: \n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}\n\ndata: \n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"content":"Hel"},"finish_reason":null}]}\n\ndata: \n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"content":"lo"},"finish_reason":null}]}\n\ndata: \n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: \n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}\n\ndata: \n\ndata: [DONE]\n\n',
    expect: {
      text: 'Hello',
    },
    note: 'arguable for a strict reader; an empty event says nothing',
  },
  {
    name: 'CRLF line ends',
    server: 'ASP.NET, sse-starlette\u2019s default',
    stream:
      'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}\r\n\r\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"content":"Hel"},"finish_reason":null}]}\r\n\r\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"content":"lo"},"finish_reason":null}]}\r\n\r\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\r\n\r\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}\r\n\r\ndata: [DONE]\r\n\r\n',
    expect: {
      text: 'Hello',
    },
  },
  {
    name: 'no [DONE], but a finish reason came',
    server: 'Cohere\u2019s and Gemini\u2019s compatible endpoints, small proxies',
    stream:
      'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"content":"Hel"},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"content":"lo"},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}\n\n',
    expect: {
      text: 'Hello',
    },
  },
  {
    name: 'no [DONE] and no finish reason',
    server: 'a cut connection that ends cleanly (hermes-agent #102766)',
    stream:
      'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"content":"Hel"},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"content":"lo"},"finish_reason":null}]}\n\n',
    expect: {
      retry: true,
    },
    note: 'half a text must not pass for an answer',
  },
  {
    name: 'data without a space',
    server: 'Alibaba DashScope, Java servers (legal: WHATWG, event streams)',
    stream:
      'data:{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}\n\ndata:{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"content":"Hel"},"finish_reason":null}]}\n\ndata:{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"content":"lo"},"finish_reason":null}]}\n\ndata:{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata:{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}\n\ndata:[DONE]\n\n',
    expect: {
      text: 'Hello',
    },
  },
  {
    name: 'BOM at the beginning',
    server: '.NET servers (WHATWG: one leading BOM is stripped)',
    whole: {
      body: '\ufeff{"id":"chatcmpl-1","object":"chat.completion","created":1764100000,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"Hello"},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}',
    },
    stream:
      '\ufeffdata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"content":"Hel"},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"content":"lo"},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}\n\ndata: [DONE]\n\n',
    expect: {
      text: 'Hello',
    },
  },
  {
    name: '[DONE] twice',
    server: 'chains of proxies',
    stream:
      'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"content":"Hel"},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"content":"lo"},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}\n\ndata: [DONE]\n\ndata: [DONE]\n\n',
    expect: {
      text: 'Hello',
    },
  },
  {
    name: 'last line not ended',
    server: 'small proxies',
    stream:
      'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"content":"Hel"},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"content":"lo"},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}\n\ndata: [DONE]',
    expect: {
      text: 'Hello',
    },
  },
  {
    name: 'one event in two data lines',
    server: 'legal: WHATWG joins data lines with a line feed',
    stream:
      'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m",\ndata: "choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"content":"Hel"},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"content":"lo"},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}\n\ndata: [DONE]\n\n',
    expect: {
      text: 'Hello',
    },
  },
  {
    name: 'empty lines before the body',
    server: 'DeepSeek (documented: keep-alive of requests that are not streamed), Cloudflare',
    whole: {
      body: '\n\n\n   \n{"id":"chatcmpl-1","object":"chat.completion","created":1764100000,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"Hello"},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}\n\n',
    },
    stream:
      '\n\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"content":"Hel"},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"content":"lo"},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}\n\ndata: [DONE]\n\n',
    expect: {
      text: 'Hello',
    },
  },
  {
    name: 'id null',
    server: 'OpenRouter, g4f',
    whole: {
      body: '{"id":null,"object":"chat.completion","created":1764100000,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"Hello"},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}',
    },
    stream:
      'data: {"id":null,"object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}\n\ndata: {"id":null,"object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"content":"Hel"},"finish_reason":null}]}\n\ndata: {"id":null,"object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"content":"lo"},"finish_reason":null}]}\n\ndata: {"id":null,"object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: {"id":null,"object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}\n\ndata: [DONE]\n\n',
    expect: {
      text: 'Hello',
    },
  },
  {
    name: 'created as text',
    server: 'home-made servers, old Ollama proxies',
    whole: {
      body: '{"id":"chatcmpl-1","object":"chat.completion","created":"2026-11-25T00:00:00Z","model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"Hello"},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}',
    },
    stream:
      'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":"2026-11-25T00:00:00Z","model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":"2026-11-25T00:00:00Z","model":"m","choices":[{"index":0,"delta":{"content":"Hel"},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":"2026-11-25T00:00:00Z","model":"m","choices":[{"index":0,"delta":{"content":"lo"},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":"2026-11-25T00:00:00Z","model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":"2026-11-25T00:00:00Z","model":"m","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}\n\ndata: [DONE]\n\n',
    expect: {
      text: 'Hello',
    },
  },
  {
    name: 'model null',
    server: 'LiteLLM, Portkey',
    whole: {
      body: '{"id":"chatcmpl-1","object":"chat.completion","created":1764100000,"model":null,"choices":[{"index":0,"message":{"role":"assistant","content":"Hello"},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}',
    },
    stream:
      'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":null,"choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":null,"choices":[{"index":0,"delta":{"content":"Hel"},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":null,"choices":[{"index":0,"delta":{"content":"lo"},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":null,"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":null,"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}\n\ndata: [DONE]\n\n',
    expect: {
      text: 'Hello',
    },
  },
  {
    name: 'error null beside a good answer',
    server: 'proxies with one struct for all',
    whole: {
      body: '{"id":"chatcmpl-1","object":"chat.completion","created":1764100000,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"Hello"},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10},"error":null}',
    },
    stream:
      'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}],"error":null}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"content":"Hel"},"finish_reason":null}],"error":null}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"content":"lo"},"finish_reason":null}],"error":null}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"error":null}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10},"error":null}\n\ndata: [DONE]\n\n',
    expect: {
      text: 'Hello',
    },
  },
  {
    name: 'id, object, created, model and index absent',
    server: 'minimal servers',
    whole: {
      body: '{"choices":[{"message":{"content":"Hello"},"finish_reason":"stop"}]}',
    },
    stream:
      'data: {"choices":[{"delta":{"content":"Hello"}}]}\n\ndata: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n',
    expect: {
      text: 'Hello',
    },
  },
  {
    name: 'an extra choice with index 1',
    server: 'servers that ignore n',
    whole: {
      body: '{"id":"c","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"Hello"},"finish_reason":"stop"},{"index":1,"message":{"role":"assistant","content":"Other"},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}',
    },
    stream:
      'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":"Hel"},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":1,"delta":{"role":"assistant","content":"Oth"},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"content":"lo"},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":1,"delta":{"content":"er"},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":1,"delta":{},"finish_reason":"length"}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}\n\ndata: [DONE]\n\n',
    expect: {
      text: 'Hello',
    },
    note: 'the texts must not be mixed, nor the end words',
  },
  {
    name: 'delta null in the last chunk',
    server: 'Azure OpenAI (pydantic-ai #797), Mistral proxies',
    stream:
      'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":"Hello"},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":null,"finish_reason":"stop"}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}\n\ndata: [DONE]\n\n',
    expect: {
      text: 'Hello',
    },
  },
  {
    name: 'delta absent in a chunk',
    server: 'Azure\u2019s content filter chunks (langchain #18977, autogen #6465)',
    stream:
      'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":"Hel"},"finish_reason":null}]}\n\ndata: {"id":"","object":"","created":0,"model":"","choices":[{"index":0,"finish_reason":null,"content_filter_results":{},"content_filter_offsets":{"check_offset":1}}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"content":"lo"},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"finish_reason":null,"content_filter_results":{}}]}\n\ndata: [DONE]\n\n',
    expect: {
      text: 'Hello',
    },
  },
  {
    name: 'choices [] and nothing else',
    server: 'Azure, vLLM under load',
    whole: {
      body: '{"id":"c","object":"chat.completion","created":1,"model":"m","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}',
    },
    stream:
      'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}\n\ndata: [DONE]\n\n',
    expect: {
      refused: 'choices',
    },
    note: 'an empty answer: to tell the model once is right; what was used is paid once',
  },
  {
    name: 'choices null',
    server: 'OpenRouter (openai-python shows choices=None), one-api',
    whole: {
      body: '{"id":"c","object":"chat.completion","created":1,"model":"m","choices":null,"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}',
    },
    stream:
      'data: {"id":"c","choices":null,"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}\n\ndata: [DONE]\n\n',
    expect: {
      refused: 'choices',
    },
  },
  {
    name: 'error inside 200 with code 429',
    server: 'OpenRouter (one-api #2148)',
    whole: {
      body: '{"error":{"message":"Rate limit exceeded: free-models-per-min","code":429,"metadata":{"headers":{"X-RateLimit-Remaining":"0"}}},"user_id":"u"}',
    },
    stream:
      'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}\n\ndata: {"error":{"message":"Rate limit exceeded: free-models-per-min","code":429,"metadata":{"headers":{"X-RateLimit-Remaining":"0"}}},"user_id":"u"}\n\ndata: [DONE]\n\n',
    expect: {
      retry: true,
    },
  },
  {
    name: 'error inside 200 with code "502"',
    server: 'OpenRouter, LiteLLM (codes as text)',
    whole: {
      body: '{"error":{"message":"Bad gateway","type":"upstream_error","code":"502"}}',
    },
    stream:
      'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}\n\ndata: {"error":{"message":"Bad gateway","type":"upstream_error","code":"502"}}\n\ndata: [DONE]\n\n',
    expect: {
      retry: true,
    },
  },
  {
    name: 'error inside 200 with code 401',
    server: 'OpenRouter',
    whole: {
      body: '{"error":{"message":"No auth credentials found","code":401}}',
    },
    stream:
      'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}\n\ndata: {"error":{"message":"No auth credentials found","code":401}}\n\ndata: [DONE]\n\n',
    expect: {
      permanent: true,
    },
  },
  {
    name: 'error inside 200 with code invalid_api_key',
    server: 'OpenAI\u2019s words behind a proxy',
    whole: {
      body: '{"error":{"message":"Incorrect API key provided.","type":"invalid_request_error","param":null,"code":"invalid_api_key"}}',
    },
    stream:
      'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}\n\ndata: {"error":{"message":"Incorrect API key provided.","type":"invalid_request_error","param":null,"code":"invalid_api_key"}}\n\ndata: [DONE]\n\n',
    expect: {
      permanent: true,
    },
  },
  {
    name: 'error inside 200 as text',
    server: 'Ollama, LM Studio, TGI',
    whole: {
      body: '{"error":"model is loading"}',
    },
    stream:
      'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}\n\ndata: {"error":"model is loading"}\n\ndata: [DONE]\n\n',
    expect: {
      retry: true,
    },
    note: 'TGI adds error_type',
  },
  {
    name: 'detail inside 200',
    server: 'FastAPI behind a proxy',
    whole: {
      body: '{"detail":"Internal Server Error"}',
    },
    stream:
      'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}\n\ndata: {"detail":"Internal Server Error"}\n\ndata: [DONE]\n\n',
    expect: {
      retry: true,
    },
  },
  {
    name: 'a flat error inside 200',
    server: 'vLLM before 0.10, FastChat',
    whole: {
      body: '{"object":"error","message":"This model\'s maximum context length is 4096 tokens.","type":"BadRequestError","param":null,"code":400}',
    },
    stream:
      'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}\n\ndata: {"object":"error","message":"This model\'s maximum context length is 4096 tokens.","type":"BadRequestError","param":null,"code":400}\n\ndata: [DONE]\n\n',
    expect: {
      permanent: true,
    },
  },
  {
    name: 'event: error',
    server: 'TGI, vLLM',
    stream:
      'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":"Hel"},"finish_reason":null}]}\n\nevent: error\ndata: {"error":"Model is overloaded","error_type":"overloaded"}\n\n',
    expect: {
      retry: true,
    },
  },
  {
    name: 'a line error: in place of data:',
    server: 'llama.cpp server before 2025 (the field name is error)',
    stream:
      'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":"Hel"},"finish_reason":null}]}\n\nerror: {"code":500,"message":"slot unavailable","type":"server_error"}\n\n',
    expect: {
      retry: true,
    },
    note: 'a field nobody knows is ignored: then the answer is cut',
  },
  {
    name: 'HTML with 200',
    server: 'Cloudflare, captive portals, load balancers',
    whole: {
      headers: {
        'content-type': 'text/html; charset=UTF-8',
      },
      body: '<!DOCTYPE html>\n<html><head><title>Just a moment...</title></head><body>Please wait</body></html>\n',
    },
    stream: '<!DOCTYPE html>\n<html><head><title>Just a moment...</title></head><body>Please wait</body></html>\n',
    streamHeaders: {
      'content-type': 'text/html; charset=UTF-8',
    },
    expect: {
      retry: true,
    },
  },
  {
    name: 'a cut body',
    server: 'closed connections behind a proxy that buffers',
    whole: {
      body: '{"id":"chatcmpl-1","object":"chat.completion","created":1764100000,"model":"m","choices":[{"index":0,"message":{"role":"',
    },
    stream:
      'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"content":"Hel"},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created',
    expect: {
      retry: true,
    },
  },
  {
    name: 'SSE answer to a whole request',
    server: 'servers that ignore stream: false',
    whole: {
      headers: {
        'content-type': 'text/event-stream',
      },
      body: 'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"content":"Hel"},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"content":"lo"},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}\n\ndata: [DONE]\n\n',
    },
    expect: {
      text: 'Hello',
    },
    note: 'arguable: at least a message that says so',
  },
  {
    name: 'SSE answer with a call to a whole request',
    server: 'servers that ignore stream: false',
    whole: {
      headers: {
        'content-type': 'text/event-stream',
      },
      body: 'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":null},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"find","arguments":"{\\"id\\":"}}]},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"\\"7\\"}"}}]},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}\n\ndata: [DONE]\n\n',
    },
    expect: {
      calls: [
        {
          name: 'find',
          arguments: {
            id: '7',
          },
        },
      ],
    },
  },
  {
    name: 'whole JSON answer to a streamed request',
    server: 'servers that do not stream with tools (Ollama before 0.8, llama.cpp before 2025), LiteLLM fakes',
    stream:
      '{"id":"chatcmpl-1","object":"chat.completion","created":1764100000,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"Hello"},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}',
    streamHeaders: {
      'content-type': 'application/json',
    },
    expect: {
      text: 'Hello',
    },
  },
  {
    name: 'whole JSON answer with a call to a streamed request',
    server: 'as above',
    stream:
      '{"id":"chatcmpl-1","object":"chat.completion","created":1764100000,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"find","arguments":"{\\"id\\":\\"7\\"}"}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}',
    streamHeaders: {
      'content-type': 'application/json',
    },
    expect: {
      calls: [
        {
          name: 'find',
          arguments: {
            id: '7',
          },
        },
      ],
    },
  },
  {
    name: 'content-type text/plain',
    server: 'Go\u2019s sniffing, old proxies',
    whole: {
      headers: {
        'content-type': 'text/plain; charset=utf-8',
      },
      body: '{"id":"chatcmpl-1","object":"chat.completion","created":1764100000,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"Hello"},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}',
    },
    stream:
      'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"content":"Hel"},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"content":"lo"},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}\n\ndata: [DONE]\n\n',
    streamHeaders: {
      'content-type': 'text/plain; charset=utf-8',
    },
    expect: {
      text: 'Hello',
    },
  },
  {
    name: 'content-type application/octet-stream',
    server: 'S3-like gateways',
    whole: {
      headers: {
        'content-type': 'application/octet-stream',
      },
      body: '{"id":"chatcmpl-1","object":"chat.completion","created":1764100000,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"Hello"},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}',
    },
    stream:
      'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"content":"Hel"},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"content":"lo"},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}\n\ndata: [DONE]\n\n',
    streamHeaders: {
      'content-type': 'application/octet-stream',
    },
    expect: {
      text: 'Hello',
    },
  },
  {
    name: 'content-type in capitals with an odd charset',
    server: 'IIS',
    whole: {
      headers: {
        'content-type': 'Application/JSON;charset=UTF8',
      },
      body: '{"id":"chatcmpl-1","object":"chat.completion","created":1764100000,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"Hello"},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}',
    },
    stream:
      'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"content":"Hel"},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"content":"lo"},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}\n\ndata: [DONE]\n\n',
    streamHeaders: {
      'content-type': 'Text/Event-Stream;charset=UTF8',
    },
    expect: {
      text: 'Hello',
    },
  },
  {
    name: 'status 201',
    server: 'home-made servers (a completion was created)',
    whole: {
      status: 201,
      body: '{"id":"chatcmpl-1","object":"chat.completion","created":1764100000,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"Hello"},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}',
    },
    expect: {
      text: 'Hello',
    },
  },
  {
    name: 'empty body',
    server: 'load balancers, crashed workers',
    whole: {
      body: '',
    },
    stream: '',
    expect: {
      retry: true,
    },
  },
  {
    name: '[DONE] and nothing else',
    server: 'vLLM after an aborted request',
    stream: 'data: [DONE]\n\n',
    expect: {
      retry: true,
    },
    note: 'nothing was said and nothing was ended',
  },
  {
    name: 'end word abort',
    server: 'vLLM, SGLang (the engine aborted the request)',
    whole: {
      body: '{"id":"chatcmpl-1","object":"chat.completion","created":1764100000,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"Hello"},"finish_reason":"abort"}],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}',
    },
    stream:
      'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"content":"Hel"},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{"content":"lo"},"finish_reason":null}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"abort"}]}\n\ndata: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764100000,"model":"m","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}\n\ndata: [DONE]\n\n',
    expect: {
      retry: true,
    },
    note: 'if not asked again, the word must at least be named; half a text must not pass for an answer',
  },
]
