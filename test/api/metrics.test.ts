import test from 'ava'
import { updateAgent } from '../../api/agents.ts'
import { createApiKey } from '../../api/api-keys.ts'
import { getOwnMetrics } from '../../api/own-metrics.ts'
import { openSession, partsOf, send } from '../chat/stage.ts'
import { call } from '../helpers/client.ts'
import { seriesIn } from '../helpers/metrics-text.ts'
import { customer, deliver, ended, webhookAgent } from '../helpers/people.ts'
import type { Platform } from '../helpers/platform.ts'
import { openScripts, start } from '../helpers/runs.ts'
import { sharedPlatform } from '../helpers/shared.ts'

const idle = sharedPlatform(test, 'idle')

const token = 'a token for the metrics of tests'.replaceAll(' ', '-')

const scrape = (url: string, authorization?: string) =>
  fetch(`${url}/metrics`, { headers: authorization === undefined ? {} : { authorization } })

/** Rows of a statement about the whole record, as `label|label` with their numbers. */
async function recorded({ services }: Platform, statement: string): Promise<Record<string, number>> {
  const { rows } = await services.database.raw<{ rows: { key: string; count: number | string }[] }>(statement)
  return Object.fromEntries(rows.map(({ key, count }) => [key, Number(count)]))
}

/** The series of one metric that have counted something, by the values of its labels in the same form. */
const counted = (series: Record<string, number>, name: string): Record<string, number> =>
  Object.fromEntries(
    Object.entries(series)
      .filter(([key, value]) => key.startsWith(`switchyard_${name}{`) && value !== 0)
      .map(([key, value]) => [[...key.matchAll(/="([^"]*)"/g)].map(([, label]) => label).join('|'), value]),
  )

test('what a process counts is what the record has: deliveries, endings, calls, tokens and credits', async (t) => {
  const { platform, someone, vaultEntryId } = await openScripts(t, { METRICS_TOKEN: token })
  const sites = [{ vaultEntryId }]
  const script = '[[call echo_text {"text":"a"}]][[call no_such_tool]][[then]][[call limit_first]]'
  const agent = await webhookAgent(someone, { systemPrompt: script, sites })
  const first = await deliver(someone, agent, { event: 1 }, { 'idempotency-key': 'one' })
  await deliver(someone, agent, { event: 1 }, { 'idempotency-key': 'one' })
  const changed = (webhookSchema: object | null) =>
    call(someone, updateAgent, { params: { agentId: agent.id }, body: { webhookSchema } })
  await changed({ type: 'object', properties: { other: { type: 'string' } }, required: ['other'] })
  t.is((await deliver(someone, agent, { event: 1 }, { 'idempotency-key': 'one' })).status, 202)
  await changed(null)
  t.is((await deliver(someone, agent, [])).status, 400)
  t.is((await deliver(someone, { ...agent, webhookSecret: 'wrong' }, {})).status, 401)
  const failing = await webhookAgent(someone, { systemPrompt: '[[fail 400]]' })
  const failed = await start(someone, failing)
  for (const id of [first.body.runId, failed.body.id]) await ended(someone, id, 45)
  const session = await openSession(someone)
  await partsOf(t, await send(session, { text: '[[say hi]]', stream: true }))

  const series = seriesIn(await (await scrape(platform.url, `Bearer ${token}`)).text())
  t.deepEqual(counted(series, 'deliveries_total'), {
    accepted: 1,
    repeated: 2,
    VALIDATION_ERROR: 1,
    WEBHOOK_SECRET_INVALID: 1,
  })
  t.deepEqual(
    counted(series, 'runs_ended_total'),
    await recorded(
      platform,
      `select concat_ws('|', status, coalesce(reason, '')) as key, count(*) from runs where ended_at is not null group by 1`,
    ),
  )
  t.deepEqual(
    counted(series, 'tool_calls_total'),
    await recorded(
      platform,
      `select concat_ws('|', effect, status) as key, count(*) from (
         select effect, status from tool_calls where ended_at is not null
         union all select effect, status from direct_tool_calls where ended_at is not null) calls group by 1`,
    ),
  )
  const { input, output, credits } = await recorded(
    platform,
    `select kind as key, sum(value) as count from (
       select input_tokens, output_tokens, credits from runs
       union all select input_tokens, output_tokens, credits from chat_answers) used
       cross join lateral (values ('input', input_tokens), ('output', output_tokens), ('credits', credits)) v (kind, value)
      group by 1`,
  )
  t.like(counted(series, 'tokens_total'), { input, output })
  t.is(series['switchyard_credits_total'], credits)
  t.true((credits ?? 0) > 0)
  t.deepEqual(counted(series, 'chat_answers_ended_total'), { 'completed|': 1 })
  t.is(counted(series, 'model_requests_total')['demo|demo|failed'], 1)
  t.is(series['switchyard_accept_seconds_count'], 3)
  t.is(series['switchyard_start_lag_seconds_count'], 2)
  t.is(series['switchyard_workers'], 1)
  t.is(series['switchyard_record_up'], 1)
  t.true('nodejs_eventloop_lag_seconds' in series && 'switchyard_event_loop_lag_seconds' in series)
})

test('metrics are answered to the token of the operator alone, and without one there are none', async (t) => {
  t.is((await scrape((await idle()).url, `Bearer ${token}`)).status, 404)
  const { platform, someone } = await openScripts(t, { METRICS_TOKEN: token })
  const refused = async (authorization?: string) => {
    const answer = await scrape(platform.url, authorization)
    const { code } = (await answer.json()) as { code: string }
    return { status: answer.status, code, challenge: answer.headers.get('www-authenticate') }
  }
  const realm = 'Bearer realm="Switchyard"'
  t.deepEqual(await refused(), { status: 401, code: 'UNAUTHORIZED', challenge: realm })
  const invalid = { status: 401, code: 'INVALID_TOKEN', challenge: `${realm}, error="invalid_token"` }
  for (const wrong of [`${token}x`, token.slice(1), someone.token])
    t.deepEqual(await refused(`Bearer ${wrong}`), invalid)
  const answer = await scrape(platform.url, `Bearer ${token}`)
  t.is(answer.status, 200)
  t.is(answer.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8')
  t.false((await answer.text()).includes(token))
})

test('an API key shows the metrics of the agents of its owner, and no others', async (t) => {
  const platform = await idle()
  const someone = await customer(platform)
  const other = await customer(platform)
  const agent = await webhookAgent(someone, { name: 'Mine "all" mine' })
  const strange = await webhookAgent(other)
  for (const one of [agent, strange]) await deliver(someone, one, { event: 1 })
  const { body: made } = await call(someone, createApiKey, { body: { name: 'Prometheus', scopes: ['read'] } })
  const { body } = await call({ url: platform.url, token: made.key }, getOwnMetrics)
  const series = seriesIn(body)
  t.is(series[`switchyard_agent_runs_accepted_total{agent="${agent.id}"}`], 1)
  t.is(series[`switchyard_agent_unfinished_runs{agent="${agent.id}"}`], 1)
  t.is(series[`switchyard_agent_info{agent="${agent.id}",name="Mine \\"all\\" mine"}`], 1)
  t.false(body.includes(strange.id))
})

test('the totals of an agent count what its runs used, and do not fall when its runs are deleted', async (t) => {
  const { platform, someone, scripted } = await openScripts(t)
  const agent = await scripted('[[say done]]')
  const { id } = (await start(someone, agent)).body
  const run = await ended(someone, id)
  const totals = async () => {
    const series = seriesIn((await call(someone, getOwnMetrics)).body)
    return ['runs_accepted', 'tokens', 'credits'].map(
      (name) => series[`switchyard_agent_${name}_total{agent="${agent.id}"}`],
    )
  }
  const before = await totals()
  t.deepEqual(before, [1, run.inputTokens + run.outputTokens, run.credits])
  await platform.services.database('callbacks').where({ runId: id }).delete()
  await platform.services.database('runs').where({ id }).delete()
  t.deepEqual(await totals(), before)
})
