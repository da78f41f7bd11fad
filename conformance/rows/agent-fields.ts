import { setTimeout as delay } from 'node:timers/promises'
import {
  agentOf,
  finished,
  createAgent,
  dataOf,
  deliver,
  runsOf,
  timelineOf,
  webhookAgent,
  webhookUrlOf,
} from '../agents.ts'
import type { Client, Json } from '../client.ts'
import { accepted, assert, assertSame, pathsIn, refused, shown } from '../expect.ts'
import type { Person } from '../people.ts'
import type { Row } from '../row.ts'
import { until } from '../until.ts'
import { plainEntry } from './sites.ts'

/** A minute, plus the run. */
const fireSeconds = 80

export const agentFieldRows: Row[] = [
  {
    id: 'agent/Trigger type',
    says: 'manual, scheduled, webhook',
    needs: ['cards'],
    async run({ client, people }) {
      const owner = await people.owner()
      const manual = await agentOf(client, owner)
      const webhook = await webhookAgent(client, owner)
      // A schedule that does not fire during the check.
      const schedule = { trigger: 'scheduled', cron: '0 0 29 2 *', timeZone: 'UTC' }
      const scheduled = await agentOf(client, owner, schedule)
      const found = [manual, scheduled, webhook].map(({ trigger }) => trigger)
      assertSame(found, ['manual', 'scheduled', 'webhook'], 'the triggers')
      const other = refused(await createAgent(client, owner, { trigger: 'event' }), 'VALIDATION_ERROR')
      return `all three; another one: ${other}`
    },
  },
  {
    id: 'agent/Manual and scheduled',
    says: 'manual: run on demand; scheduled: run on a cron schedule',
    needs: ['cards', 'directives'],
    isSlow: true,
    async run({ client, people }) {
      const owner = await people.owner()
      const everyMinute = await agentOf(client, owner, { trigger: 'scheduled', cron: '* * * * *', timeZone: 'UTC' })
      const run = await finished(client, owner, await agentOf(client, owner))
      assertSame([run['trigger'], run['status']], ['manual', 'completed'], 'trigger and status')
      const scheduled = await agentOf(client, owner, { trigger: 'scheduled', cron: '0 9 * * MON', timeZone: 'UTC' })
      const next = new Date(String(scheduled['nextFireAt']))
      assertSame([next.getUTCDay(), next.getUTCHours()], [1, 9], 'day and hour of the next fire')
      const fired = await until(fireSeconds, 'an agent of "* * * * *" has run', async () => {
        await delay(1000)
        return (await runsOf(client, owner, everyMinute)).find(({ endedAt }) => endedAt !== null)
      })
      assertSame([fired['trigger'], fired['status']], ['scheduled', 'completed'], 'trigger and status')
      return `on demand: completed; "* * * * *" has run at ${String(fired['startedAt'])}; "0 9 * * MON" next fires at ${next.toISOString()}`
    },
  },
  {
    id: 'agent/Name and system prompt',
    says: 'a name; default instructions of the agent',
    needs: ['cards', 'directives'],
    async run({ client, people }) {
      const owner = await people.owner()
      const fields = { name: 'Triage of issues', systemPrompt: '[[say Exactly this.]]' }
      const agent = await agentOf(client, owner, fields)
      assertSame([agent['name'], agent['systemPrompt']], Object.values(fields), 'name and prompt')
      const run = await finished(client, owner, agent)
      assert(String(run['answer']).includes('Exactly this.'), `the answer is ${shown(run['answer'])}`)
      const events = await timelineOf(client, owner, run['id'])
      assertSame(dataOf(events, 'started')['systemPrompt'], fields.systemPrompt, 'the prompt in force')
      return 'kept, and followed'
    },
  },
  {
    id: 'agent/Sites',
    says: 'sites the agent may use, and no others',
    needs: ['cards', 'directives', 'ownSites'],
    async run(stage) {
      const { client, people } = stage
      const owner = await people.owner()
      const { entryId: vaultEntryId, site } = await plainEntry(stage)
      const systemPrompt = '[[call delete_thing {}]]'
      const agent = await agentOf(client, owner, { systemPrompt, sites: [{ vaultEntryId, tools: ['search_things'] }] })
      await finished(client, owner, agent)
      assert(!site.arrivals.some(({ path }) => path.endsWith('delete_thing')), 'a tool was called that it may not use')
      const [first] = agent['sites'] as { vaultEntryId: string }[]
      assertSame(first?.vaultEntryId, vaultEntryId, 'the site')
      return 'kept; a tool that it may not use was not called'
    },
  },
  {
    id: 'agent/Webhook URL',
    says: 'read-only; {base_url}/api/webhooks/agent/{agent_id}',
    needs: ['cards'],
    async run({ client, people }) {
      const owner = await people.owner()
      const agent = await webhookAgent(client, owner)
      const webhookUrl = String(agent['webhookUrl'])
      assertSame(webhookUrl, webhookUrlOf(client, agent), 'the address')
      accepted(await deliver(client, agent, { url: webhookUrl }), 202)
      await assertReadOnly(client, owner, agent, { webhookUrl: 'https://elsewhere.example' })
      return `${webhookUrl}: 202; a change is a VALIDATION_ERROR`
    },
  },
  {
    id: 'agent/Webhook secret',
    says: 'read-only shared secret, in the header X-Webhook-Secret',
    needs: ['cards'],
    async run({ client, people }) {
      const owner = await people.owner()
      const [one, other] = [await webhookAgent(client, owner), await webhookAgent(client, owner)]
      assert(String(one['webhookSecret']).length >= 16, 'the secret is short')
      assert(one['webhookSecret'] !== other['webhookSecret'], 'two agents have one secret')
      const crossed = await deliver(client, one, { secret: String(other['webhookSecret']) })
      refused(crossed, 'WEBHOOK_SECRET_INVALID')
      await assertReadOnly(client, owner, one, { webhookSecret: 'a secret of my own choice' })
      return 'each agent has its own; that of another is refused; it cannot be set'
    },
  },
  {
    id: 'agent/Webhook schema',
    says: 'list of fields, each with a name and a type (string, number)',
    needs: ['cards'],
    async run({ client, people }) {
      const owner = await people.owner()
      const fields = [
        { name: 'event', type: 'string' },
        { name: 'post_id', type: 'number' },
      ]
      const agent = await webhookAgent(client, owner, { webhookSchema: fields })
      const kept = (agent['webhookSchema'] as typeof fields).map(({ name, type }) => ({ name, type }))
      assertSame(kept, fields, 'the schema')
      const unknown = { trigger: 'webhook', webhookSchema: [{ name: 'event', type: 'word' }] }
      refused(await createAgent(client, owner, unknown), 'VALIDATION_ERROR')
      accepted(await deliver(client, agent, { payload: { event: 'a', post_id: 1 } }), 202)
      return 'kept; a payload that fits: 202; another type of field: VALIDATION_ERROR'
    },
  },
]

/** Checks that the agent's member cannot be changed, and that the refusal names it. */
async function assertReadOnly(client: Client, { token }: Person, agent: Json, body: Json): Promise<void> {
  const changed = await client.send({ method: 'PATCH', url: `/agents/${String(agent['id'])}`, token, body })
  refused(changed, 'VALIDATION_ERROR')
  assertSame(pathsIn(changed), Object.keys(body), 'the list of wrong places')
}
