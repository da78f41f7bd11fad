import test, { type ExecutionContext } from 'ava'
import { approvalsOf, asked, askingAgent, decide } from '../../helpers/approvals.ts'
import { eventually } from '../../helpers/eventually.ts'
import { jsonOf, keyOf, mcpClient, textOf } from '../../helpers/mcp-clients.ts'
import { mcpRpc } from '../../helpers/mcp-rpc.ts'
import { newOwner } from '../../helpers/owner.ts'
import { sharedPlatform } from '../../helpers/shared.ts'

const platformOf = sharedPlatform(test)

const tasks = { extensions: { 'io.modelcontextprotocol/tasks': {} } }
const forms = { elicitation: { form: {} } }
const script = '[[call slow_once {"seconds": 0}]] [[then]] [[say Done.]]'

/** An owner whose agent must ask before it calls a tool. */
async function withAskingAgent(t: ExecutionContext) {
  const owner = await newOwner(t, await platformOf())
  const site = await owner.site()
  const agent = await askingAgent({ someone: owner, vaultEntryId: site.vaultEntryId }, script)
  const made = () => site.requests().filter(({ tool }) => tool === 'slow_once').length
  return { owner, agent, made }
}

/** The name of the tool that runs an agent. */
const runOf = ({ id, name }: { id: string; name: string }) =>
  `run_${name.toLowerCase().replaceAll(' ', '_')}_${id.slice(-8)}`

type Answer = { action: 'accept'; content: Record<string, string> } | { action: 'decline' | 'cancel' }

/** A client whose person answers each form like this. */
async function askedClient(t: ExecutionContext, url: string, key: string, answer: Answer) {
  const client = await mcpClient(t, { url, key, capabilities: forms })
  const shown: string[] = []
  client.setRequestHandler('elicitation/create', ({ params }) => {
    shown.push(params.message)
    return answer
  })
  return { client, shown }
}

test('run_… starts a run once under a key and returns its answer, which the reading tools show too', async (t) => {
  const owner = await newOwner(t, await platformOf())
  const agent = await owner.agent({ name: 'Daily report', systemPrompt: '[[say Sunny.]]' })
  const client = await mcpClient(t, { url: owner.url, key: await keyOf(owner, ['read', 'write']) })
  const same = {
    name: runOf(agent),
    arguments: { input: { day: 1 } },
    _meta: { 'switchyard/idempotency-key': 'a' },
  }
  const answer = jsonOf(await client.callTool(same))
  t.is(answer['status'], 'completed')
  t.regex(String(answer['answer']), /Sunny/)
  t.deepEqual(jsonOf(await client.callTool(same)), answer)
  const use = async (name: string, args: Record<string, unknown>) =>
    jsonOf(await client.callTool({ name, arguments: args }))
  const { items } = (await use('list_runs', { limit: 5 })) as { items: { id: string }[] }
  t.deepEqual(
    items.map(({ id }) => id),
    [answer['runId']],
  )
  t.like(await use('get_run', { runId: answer['runId'] }), { answer: answer['answer'] })
  t.like(await use('why', { runId: answer['runId'] }), { state: 'ended' })
})

test('for a client with tasks, a run is a task that can be followed and cancelled', async (t) => {
  const owner = await newOwner(t, await platformOf())
  const quick = await owner.agent({ name: 'Quick', systemPrompt: '[[say Ready.]]' })
  const site = await owner.site()
  const slowly = await owner.agent({
    name: 'Slow',
    systemPrompt: '[[call slow_once {"seconds": 20}]]',
    sites: [{ vaultEntryId: site.vaultEntryId }],
  })
  const client = { url: owner.url, token: await keyOf(owner, ['read', 'write']) }
  const ask = async (method: string, params: Record<string, unknown>) => {
    const { body, text } = await mcpRpc(client, method, params, { capabilities: tasks })
    return body?.result ?? t.fail(text)
  }
  const begun = await ask('tools/call', { name: runOf(quick), arguments: {} })
  t.like(begun, { resultType: 'task', status: 'working' })
  const { taskId } = begun as { taskId: string }
  const over = async (id: string) => {
    const task = await ask('tasks/get', { taskId: id })
    return (task as { status: string }).status === 'working' ? undefined : task
  }
  const done = await eventually(30, 'the task ends', () => over(taskId))
  t.like(done, { resultType: 'complete', status: 'completed' })
  t.like(jsonOf(done['result']), { runId: taskId, status: 'completed' })
  const { taskId: slow } = (await ask('tools/call', { name: runOf(slowly), arguments: {} })) as { taskId: string }
  await ask('tasks/cancel', { taskId: slow })
  t.is((await eventually(30, 'the task ends', () => over(slow)))['status'], 'cancelled')
})

test('a person approves or refuses a call in a form that shows its arguments', async (t) => {
  const { owner, agent, made } = await withAskingAgent(t)
  const key = await keyOf(owner, ['read', 'write', 'decide'])
  const yes = await askedClient(t, owner.url, key, { action: 'accept', content: { decision: 'approve' } })
  const run = await yes.client.callTool({ name: runOf(agent), arguments: {} })
  t.like(jsonOf(run), { status: 'completed' })
  t.is(yes.shown.length, 1)
  t.regex(yes.shown[0] ?? '', /“slow_once” at https:.*\n\n\{"seconds": ?0\}/s)
  t.is(made(), 1)
  const no = await askedClient(t, owner.url, key, { action: 'decline' })
  t.like(jsonOf(await no.client.callTool({ name: runOf(agent), arguments: {} })), { status: 'completed' })
  t.is(made(), 1)
  const statuses = (await approvalsOf(owner, { agentId: agent.id })).map(({ status }) => status)
  t.deepEqual(statuses, ['refused', 'approved'])
  const later = await askedClient(t, owner.url, key, { action: 'cancel' })
  const left = jsonOf(await later.client.callTool({ name: runOf(agent), arguments: {} }))
  t.like(left, { status: 'waiting' })
  const [pending] = await asked(owner)
  t.deepEqual(left['approvals'], [`${owner.url}/console/approvals/${pending?.id}`])
})

test('a person decides about the call of a task, too', async (t) => {
  const { owner, agent, made } = await withAskingAgent(t)
  const client = { url: owner.url, token: await keyOf(owner, ['read', 'write', 'decide']) }
  const ask = async (method: string, params: Record<string, unknown>) =>
    (await mcpRpc(client, method, params, { capabilities: { ...tasks, ...forms } })).body?.result as Record<
      string,
      unknown
    >
  const { taskId } = await ask('tools/call', { name: runOf(agent), arguments: {} })
  const reached = (status: string) =>
    eventually(30, status, async () => {
      const task = await ask('tasks/get', { taskId })
      return task['status'] === status ? task : undefined
    })
  const { inputRequests } = (await reached('input_required')) as { inputRequests: Record<string, unknown> }
  const answer = { action: 'accept', content: { decision: 'approve' } }
  const [shown = ''] = Object.keys(inputRequests)
  const inputResponses = { [shown]: answer }
  // What this client was not shown, or could not show, does not count.
  await ask('tasks/update', { taskId, inputResponses: { [shown.slice(0, 36)]: answer, [`${shown}0`]: answer } })
  await mcpRpc(client, 'tasks/update', { taskId, inputResponses }, { capabilities: tasks })
  t.is((await ask('tasks/get', { taskId }))['status'], 'input_required')
  await ask('tasks/update', { taskId, inputResponses })
  t.like(jsonOf((await reached('completed'))['result']), { status: 'completed' })
  t.is(made(), 1)
})

test('a model cannot approve its own call, whatever it sends', async (t) => {
  const { owner, agent, made } = await withAskingAgent(t)
  const { url } = owner
  const client = { url, token: await keyOf(owner, ['read', 'write']) }
  // Its key has no scope to decide, so not even a form is shown.
  const { client: official, shown } = await askedClient(t, url, client.token, {
    action: 'accept',
    content: { decision: 'approve' },
  })
  const waits = jsonOf(await official.callTool({ name: runOf(agent), arguments: {} }))
  t.like(waits, { status: 'waiting' })
  t.deepEqual(shown, [])
  const { tools } = await official.listTools()
  t.deepEqual(
    tools.filter(({ name }) => /approv|decid/.test(name)),
    [],
  )
  const [approval] = await asked(owner)
  const id = approval?.id ?? ''
  const answers = { [`${id} ${approval?.argumentsHash}`]: { action: 'accept', content: { decision: 'approve' } } }
  const send = (token: string, params: Record<string, unknown>, method = 'tools/call') =>
    mcpRpc({ url, token }, method, params, { capabilities: forms })
  const deciding = await keyOf(owner, ['read', 'write', 'decide'])
  const name = runOf(agent)
  // As arguments, as answers without a state, with a made-up state, and as answers of a task that its key may not give.
  const sent = [
    await send(deciding, { name, arguments: { inputResponses: answers, decision: 'approve', approvalId: id } }),
    await send(deciding, { name, arguments: {}, inputResponses: answers }),
    await send(deciding, { name, arguments: {}, inputResponses: answers, requestState: 'made-up' }),
    await send(client.token, { taskId: waits['runId'], inputResponses: answers }, 'tasks/update'),
  ]
  t.is(jsonOf(sent[0]?.body?.result)['code'], 'VALIDATION_ERROR')
  t.is(jsonOf(sent[1]?.body?.result)['code'], 'AGENT_ALREADY_RUNNING')
  t.is(sent[2]?.body?.error?.code, -32_602)
  t.is(sent[3]?.status, 403)
  const overHttp = await decide({ ...owner, token: client.token }, id, 'approve')
  t.is(overHttp.failure.code, 'PERMISSION_DENIED')
  t.is((await approvalsOf(owner)).find((one) => one.id === id)?.status, 'pending')
  t.is(made(), 0)
})

test('the state of a form counts for nobody but the user whom it was shown to, and not for another run', async (t) => {
  const [mine, yours] = [await withAskingAgent(t), await withAskingAgent(t)]
  const { url } = mine.owner
  const start = async ({ owner, agent }: typeof mine) => {
    const token = await keyOf(owner, ['read', 'write', 'decide'])
    const { body, text } = await mcpRpc(
      { url, token },
      'tools/call',
      { name: runOf(agent), arguments: {} },
      { capabilities: forms },
    )
    const { requestState, inputRequests } = (body?.result ?? t.fail(text)) as {
      requestState: string
      inputRequests: object
    }
    return { token, requestState, ids: Object.keys(inputRequests) }
  }
  const [one, other] = [await start(mine), await start(yours)]
  const answers = Object.fromEntries(
    [...one.ids, ...other.ids].map((id) => [id, { action: 'accept', content: { decision: 'approve' } }]),
  )
  const retry = { name: runOf(mine.agent), arguments: {}, inputResponses: answers }
  const stolen = await mcpRpc(
    { url, token: one.token },
    'tools/call',
    { ...retry, requestState: other.requestState },
    { capabilities: forms },
  )
  t.is(stolen.body?.error?.code, -32_602, stolen.text)
  const others = [
    { token: await keyOf(mine.owner, ['read', 'write', 'decide']), name: runOf(mine.agent) },
    { token: one.token, name: runOf(await mine.owner.agent({ name: 'Another' })) },
  ]
  for (const { token, name } of others) {
    const params = { ...retry, name, requestState: one.requestState }
    const { body, text } = await mcpRpc({ url, token }, 'tools/call', params, { capabilities: forms })
    t.regex(text, /requestState/)
    t.true(body?.error?.code === -32_602 || jsonOf(body?.result)['code'] === 'VALIDATION_ERROR')
  }
  t.is((await asked(mine.owner)).length, 1)
  const own = await mcpRpc(
    { url, token: one.token },
    'tools/call',
    { ...retry, requestState: one.requestState },
    { capabilities: forms },
  )
  t.like(jsonOf(own.body?.result), { status: 'completed' }, textOf(own.body?.result))
  t.is((await asked(yours.owner)).length, 1)
  t.is(yours.made(), 0)
})
