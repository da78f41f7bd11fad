import {
  CLIENT_CAPABILITIES_META_KEY,
  inputRequired,
  inputResponse,
  type InputRequest,
  type McpServer,
  type RequestStateCodec,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { words } from './contents.ts'

const form = (message: string, name: string): InputRequest =>
  inputRequired.elicit({ message, requestedSchema: asking(name) })

const asking = (name: string) => ({
  type: 'object' as const,
  properties: { [name]: { type: 'string' as const } },
  required: [name],
})

const confirmation = inputRequired.elicit({
  message: 'Please confirm',
  requestedSchema: { type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'] },
})

const sampling = (text: string, maxTokens: number): InputRequest => ({
  method: 'sampling/createMessage',
  params: { messages: [{ role: 'user', content: words(text) }], maxTokens },
})

const roots: InputRequest = { method: 'roots/list', params: {} }

/** Whether each of the answers is of the kind that was wanted. A form that was declined is an answer too. */
function areAnswered(ctx: ServerContext, names: string[]): boolean {
  return names.every((name) => {
    const view = inputResponse(ctx.mcpReq.inputResponses, name)
    return view.kind === 'elicit' ? view.action !== 'accept' || view.content !== undefined : view.kind !== 'missing'
  })
}

const said = (text: string) => ({ content: [words(text)] })

const allOf = ({ mcpReq }: ServerContext) => JSON.stringify(mcpReq.inputResponses)

/** The tools and the prompt that ask the client for something before they answer. */
export function registerAsking(server: McpServer, codec: RequestStateCodec<{ round: number }>): void {
  const tool = (name: string, requests: Record<string, InputRequest>, mint?: boolean) =>
    server.registerTool(name, { description: `Test tool ${name}` }, async (ctx) => {
      if (areAnswered(ctx, Object.keys(requests))) return said(`state-ok: ${allOf(ctx)}`)
      return inputRequired({ inputRequests: requests, ...(mint && { requestState: await codec.mint({ round: 1 }) }) })
    })
  const name = form('What is your name?', 'name')
  tool('test_input_required_result_elicitation', { user_name: name })
  tool('test_input_required_result_sampling', { capital_question: sampling('What is the capital of France?', 100) })
  tool('test_input_required_result_list_roots', { client_roots: roots })
  tool('test_input_required_result_request_state', { confirm: confirmation }, true)
  tool('test_input_required_result_tampered_state', { confirm: confirmation }, true)
  const greeting = sampling('Generate a greeting', 50)
  tool('test_input_required_result_multiple_inputs', { user_name: name, greeting, client_roots: roots }, true)
  tool('test_missing_capability', { question: sampling('Is it there?', 10) })
  tool('test_streaming_elicitation', { user_name: name })
  registerRounds(server, codec)
  registerByCapability(server)
  server.registerPrompt('test_input_required_result_prompt', { description: 'A prompt that asks' }, (ctx) =>
    areAnswered(ctx, ['user_context'])
      ? { messages: [{ role: 'user', content: words(allOf(ctx)) }] }
      : inputRequired({ inputRequests: { user_context: form('What context should the prompt use?', 'context') } }),
  )
}

function registerRounds(server: McpServer, codec: RequestStateCodec<{ round: number }>): void {
  server.registerTool('test_input_required_result_multi_round', { description: 'Asks twice' }, async (ctx) => {
    const round = ctx.mcpReq.requestState<{ round: number }>()?.round ?? 0
    if (round === 2 && areAnswered(ctx, ['step2'])) return said(allOf(ctx))
    const next = round === 1 && areAnswered(ctx, ['step1']) ? 2 : Math.max(round, 1)
    const question =
      next === 1 ? form('Step 1: What is your name?', 'name') : form('Step 2: What is your favorite color?', 'color')
    return inputRequired({
      inputRequests: { [`step${next}`]: question },
      requestState: await codec.mint({ round: next }),
    })
  })
}

function registerByCapability(server: McpServer): void {
  server.registerTool('test_input_required_result_capabilities', { description: 'Asks what it may' }, (ctx) => {
    const envelope = ctx.mcpReq.envelope as Record<string, object | undefined> | undefined
    const known = envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? {}
    const possible = { elicitation: form('Who?', 'name'), sampling: sampling('Who?', 10), roots }
    const requests = Object.entries(possible).filter(([capability]) => capability in known)
    if (
      requests.length === 0 ||
      areAnswered(
        ctx,
        requests.map(([one]) => one),
      )
    )
      return said('Nothing to ask.')
    return inputRequired({ inputRequests: Object.fromEntries(requests) })
  })
}
