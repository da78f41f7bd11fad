/**
 * All names in traces. Those that begin with `gen_ai.` are from OpenTelemetry's conventions for generative AI, which are
 * still in development, so this is the one place that follows them.
 */
export const spanNames = {
  request: (method: string, route: string) => `${method} ${route}`,
  fire: 'fire schedule',
  run: (agent: string) => `invoke_agent ${agent}`,
  answer: 'invoke_agent',
  chat: (model: string) => `chat ${model}`,
  tool: (tool: string) => `execute_tool ${tool}`,
  exchange: (method: string) => method,
  wait: (cause: string) => `wait ${cause}`,
  callback: 'callback',
} as const

export const names = {
  operation: 'gen_ai.operation.name',
  agentId: 'gen_ai.agent.id',
  agentName: 'gen_ai.agent.name',
  agentVersion: 'gen_ai.agent.version',
  conversationId: 'gen_ai.conversation.id',
  provider: 'gen_ai.provider.name',
  model: 'gen_ai.request.model',
  finishReasons: 'gen_ai.response.finish_reasons',
  inputTokens: 'gen_ai.usage.input_tokens',
  outputTokens: 'gen_ai.usage.output_tokens',
  cachedTokens: 'gen_ai.usage.cache_read.input_tokens',
  toolName: 'gen_ai.tool.name',
  toolCallId: 'gen_ai.tool.call.id',
  /** Only if the operator asks for contents. */
  inputMessages: 'gen_ai.input.messages',
  outputMessages: 'gen_ai.output.messages',
  toolArguments: 'gen_ai.tool.call.arguments',
  toolResult: 'gen_ai.tool.call.result',

  errorType: 'error.type',
  method: 'http.request.method',
  route: 'http.route',
  status: 'http.response.status_code',
  host: 'server.address',
  port: 'server.port',

  requestId: 'switchyard.request.id',
  code: 'switchyard.error.code',
  runId: 'switchyard.run.id',
  sequence: 'switchyard.run.sequence',
  trigger: 'switchyard.run.trigger',
  runStatus: 'switchyard.run.status',
  reason: 'switchyard.run.reason',
  steps: 'switchyard.run.steps',
  toolCalls: 'switchyard.run.tool_calls',
  credits: 'switchyard.credits',
  ownerId: 'switchyard.owner.id',
  answerId: 'switchyard.answer.id',
  entryId: 'switchyard.vault_entry.id',
  outcome: 'switchyard.outcome',
  waitCause: 'switchyard.wait.cause',
  callbackId: 'switchyard.callback.id',
  attempt: 'switchyard.attempt',
} as const

type Name = (typeof names)[keyof typeof names]

/** Absent values are left out. */
export type Attributes = Partial<Record<Name, string | number | boolean | string[] | null | undefined>>
