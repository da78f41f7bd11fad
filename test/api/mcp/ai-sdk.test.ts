import { auth, createMCPClient, type OAuthClientProvider } from '@ai-sdk/mcp'
import test, { type ExecutionContext } from 'ava'
import { allow, browserOf, goBack, openRequest, redirectUrl } from '../../helpers/app-sign-in.ts'
import { jsonOf, keyOf } from '../../helpers/mcp-clients.ts'
import { newOwner } from '../../helpers/owner.ts'
import { sharedPlatform } from '../../helpers/shared.ts'

const platformOf = sharedPlatform(test)

type Access = { headers: Record<string, string> } | { authProvider: OAuthClientProvider }

/** Lists the tools, calls one, runs an agent and reads the run. */
async function tour(t: ExecutionContext, { url, tool, agent }: Tourable, access: Access): Promise<void> {
  const client = await createMCPClient({ transport: { type: 'http', url: `${url}/mcp`, ...access } })
  t.teardown(() => client.close())
  const tools = await client.tools()
  const use = async (name: string, input: object) => {
    const result: unknown = await tools[name]?.execute?.(input, { toolCallId: name, messages: [], context: {} })
    return jsonOf(result)
  }
  t.like(await use(tool, { seconds: 0 }), { result: { waited: 0 } })
  const run = await use(agent, {})
  t.is(run['status'], 'completed')
  t.like(await use('get_run', { runId: run['runId'] }), { id: run['runId'], answer: run['answer'] })
  t.like(await use('list_runs', {}), { items: [{ id: run['runId'] }] })
}

async function tourable(t: ExecutionContext) {
  const owner = await newOwner(t, await platformOf())
  const { vaultEntryId } = await owner.site()
  const { id } = await owner.agent({ name: 'Daily report', systemPrompt: '[[say Sunny.]]' })
  const names = {
    tool: `example_of_bad_tools_slow_once_${vaultEntryId.slice(-8)}`,
    agent: `run_daily_report_${id.slice(-8)}`,
  }
  return { ...owner, ...names }
}

type Tourable = Awaited<ReturnType<typeof tourable>>

test("the AI SDK's MCP client does the tour with an API key", async (t) => {
  const owner = await tourable(t)
  await tour(t, owner, { headers: { Authorization: `Bearer ${await keyOf(owner, ['read', 'write'])}` } })
})

test("the AI SDK's MCP client signs in with OAuth, does the tour, and renews its tokens", async (t) => {
  const owner = await tourable(t)
  const stored: Record<string, unknown> = {}
  const read = (name: string) => () => stored[name] as never
  const save = (name: string) => (value: unknown) => void (stored[name] = value)
  const authProvider: OAuthClientProvider = {
    redirectUrl,
    clientMetadata: { client_name: 'AI SDK', redirect_uris: [redirectUrl] },
    clientInformation: read('client'),
    saveClientInformation: save('client'),
    isClientInformationDynamicallyRegistered: () => true,
    authorizationServerInformation: read('server'),
    saveAuthorizationServerInformation: save('server'),
    tokens: read('tokens'),
    saveTokens: save('tokens'),
    codeVerifier: read('verifier'),
    saveCodeVerifier: save('verifier'),
    state: () => 'a state',
    saveState: save('state'),
    storedState: read('state'),
    redirectToAuthorization: save('page'),
  }
  const serverUrl = `${owner.url}/mcp`
  t.is(await auth(authProvider, { serverUrl }), 'REDIRECT')
  const browser = await browserOf(owner)
  const { pathname, search } = stored['page'] as URL
  const answer = await allow(browser, await openRequest(browser, pathname + search))
  const back = (await goBack(browser, answer.text)).searchParams
  const authorizationCode = back.get('code') ?? ''
  const callback = { callbackState: back.get('state') ?? '', callbackIssuer: back.get('iss') ?? '' }
  t.is(await auth(authProvider, { serverUrl, authorizationCode, ...callback }), 'AUTHORIZED')
  await tour(t, owner, { authProvider })
  const before = stored['tokens'] as { access_token: string }
  stored['tokens'] = { ...before, access_token: 'sy_app_expired' }
  await tour(t, owner, { authProvider })
  t.not((stored['tokens'] as { access_token: string }).access_token, before.access_token)
})
