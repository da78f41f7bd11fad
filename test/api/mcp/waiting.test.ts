import test, { type ExecutionContext } from 'ava'
import { callSite } from '../../../api/mcp/call-site.ts'
import { decideAnswered } from '../../../api/mcp/decide.ts'
import type { McpUser } from '../../../api/mcp/mcp-user.ts'
import type { ToolCall } from '../../../api/mcp/offered.ts'
import { readingTool } from '../../../api/mcp/reading-tools.ts'
import { openState, sealState } from '../../../api/mcp/request-state.ts'
import { waitForRun } from '../../../api/mcp/wait-for-run.ts'
import type { Approval } from '../../../src/approvals/approval.ts'
import { CodedError } from '../../../src/errors.ts'
import type { Run } from '../../../src/runs/run.ts'
import { eventually } from '../../helpers/eventually.ts'
import { jsonOf, keyOf } from '../../helpers/mcp-clients.ts'
import { newOwner } from '../../helpers/owner.ts'
import { sharedPlatform } from '../../helpers/shared.ts'

const platformOf = sharedPlatform(test)

/** An owner with a site, and the owner as the sender of an MCP request, who may be made to leave. */
async function open(t: ExecutionContext) {
  const platform = await platformOf()
  const owner = await newOwner(t, platform)
  const site = await owner.site()
  const token = `Bearer ${await keyOf(owner, ['read', 'write'])}`
  const { services } = platform
  const caller = await services.users.authenticate(token)
  const places = { ends: [] as ((cause?: CodedError) => void)[], left: 0 }
  const user: McpUser = {
    services,
    caller,
    callerNow: (trx) => services.users.authenticate(token, trx),
    request: { header: () => undefined } as unknown as McpUser['request'],
    userId: caller.userId,
    ownerId: caller.reach.home,
    scopes: new Set(['read', 'run']),
    stay(end) {
      places.ends.push(end)
      return () => void (places.left += 1)
    },
  }
  const named = { entryId: site.vaultEntryId, toolName: 'slow_once' }
  return { owner, site, user, named, places }
}

const asking = (args: Record<string, unknown>, gone = new AbortController().signal): ToolCall => ({
  args,
  gone,
  idempotencyKey: undefined,
  capabilities: {},
  state: undefined,
  answers: undefined,
})

const made = ({ site }: Awaited<ReturnType<typeof open>>) =>
  site.requests().filter(({ tool }) => tool === 'slow_once').length

test('a call that takes too long is named, goes on, and its outcome is found, also without a key', async (t) => {
  const opened = await open(t)
  const { user, named, places } = opened
  const gone = new AbortController()
  const calling = callSite(user, named, asking({ seconds: 3 }, gone.signal))
  await eventually(20, 'the site has the call', () => made(opened) === 1 || undefined)
  // As when the time is over: nobody waits for the response any longer.
  gone.abort()
  const { callId, ...rest } = jsonOf(await calling)
  t.like(rest, { vaultEntryId: named.entryId, status: 'started' })
  t.is(places.left, 1)
  const outcome = () => readingTool(user, 'get_call')?.(asking({ vaultEntryId: named.entryId, callId }))
  const done = await eventually(20, 'the call ends', async () => {
    const call = jsonOf(await outcome())
    return call['status'] === 'succeeded' ? call : undefined
  })
  t.like(done, { id: callId, tool: 'slow_once' })
  t.is(made(opened), 1)
})

test('a call takes a place among the open streams: without one it is not made, and a lost access ends the wait', async (t) => {
  const opened = await open(t)
  const { user, named, places, owner } = opened
  const full = () => {
    throw new CodedError('RATE_LIMITED')
  }
  await t.throwsAsync(callSite({ ...user, stay: full }, named, asking({ seconds: 0 })), { message: /./ })
  t.is(made(opened), 0)
  const calling = callSite(user, named, asking({ seconds: 3 }))
  await eventually(20, 'the site has the call', () => made(opened) === 1 || undefined)
  places.ends[0]?.(new CodedError('TOKEN_REVOKED'))
  t.is((await t.throwsAsync<CodedError>(calling))?.code, 'TOKEN_REVOKED')
  const agent = await owner.agent({
    systemPrompt: '[[call slow_once {"seconds": 20}]]',
    sites: [{ vaultEntryId: named.entryId }],
  })
  const { id: runId } = (await owner.start(agent)).body
  const waiting = waitForRun(user, runId, new AbortController().signal)
  await eventually(20, 'it waits', () => places.ends[1])
  places.ends[1]?.(new CodedError('PERMISSION_DENIED'))
  t.is((await t.throwsAsync<CodedError>(waiting))?.code, 'PERMISSION_DENIED')
  // The end of the process has no cause, and the client learns the state of its run.
  const last = waitForRun(user, runId, new AbortController().signal)
  await eventually(20, 'it waits', () => places.ends[2])
  places.ends[2]?.()
  t.is((await last).run.endedAt, null)
  t.is(places.left, 3)
})

test('a state counts as long as the approval that it is about, and for one credential and one owner', async (t) => {
  const { user } = await open(t)
  const day = 86_400_000
  const now = user.services.clock.now().getTime()
  const asked = [{ id: 'an approval', argumentsHash: 'a hash', expiresAt: new Date(now + day) }] as Approval[]
  const sealed = sealState(user, { id: 'a run', agentId: 'an agent' } as Run, asked)
  const after = (ms: number): McpUser => ({
    ...user,
    services: { ...user.services, clock: { now: () => new Date(now + ms) } },
  })
  t.deepEqual(openState(after(day - 60_000), sealed), {
    runId: 'a run',
    agentId: 'an agent',
    shown: { 'an approval': 'a hash' },
  })
  const others: McpUser[] = [
    after(day + 60_000),
    { ...user, userId: 'another' },
    { ...user, ownerId: 'another' },
    { ...user, caller: { ...user.caller, apiKeyId: 'another' } },
  ]
  for (const one of others) t.throws(() => openState(one, sealed), { message: /invalid or too old/ })
})

test('a client that may not decide now decides nothing, whatever it was shown before', async (t) => {
  const { user } = await open(t)
  const answers = { 'an approval a hash': { action: 'accept', content: { decision: 'approve' } } }
  const error = await t.throwsAsync<CodedError>(decideAnswered(user, 'a run', answers, { 'an approval': 'a hash' }))
  t.is(error?.code, 'PERMISSION_DENIED')
})
