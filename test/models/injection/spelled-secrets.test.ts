// @promise hiding secrecy
import { randomBytes } from 'node:crypto'
import { Client, Connection } from '@temporalio/client'
import test from 'ava'
import { exportAccount } from '../../../api/exports.ts'
import * as vault from '../../../api/vault.ts'
import { historyOf, openSession, partsOf, send, textOf } from '../../chat/stage.ts'
import { heldByTemporal, sightings } from '../../helpers/canaries.ts'
import { call } from '../../helpers/client.ts'
import { agentOf, customer, ended, timelineOf } from '../../helpers/people.ts'
import { start } from '../../helpers/runs.ts'
import { watch } from '../../helpers/watch.ts'
import { keptSpellings } from '../../src/hiding/spellings.ts'
import { events } from '../failing-provider.ts'
import { openProvider } from '../stage-of-provider.ts'
import { chat } from '../wire.ts'
import { startPoisonedSite } from './poisoned-site.ts'

const token = `sk_A/b+c=d&e"f\\g<h>i?j~k5>?xY%z*q1:2;3@4-${randomBytes(8).toString('hex')}`
const spellings = keptSpellings(token)
const words = Object.values(spellings).join(' | ')
const inJson = (text: string) => JSON.stringify(text).slice(1, -1)

/** What tells of each spelling that it is there, also in JSON; the ends of base64 depend on what stands around. */
const canaries = Object.fromEntries(
  Object.entries(spellings).flatMap(([how, text]) => [
    [how, text.slice(4, -4)],
    [`${how}, within JSON`, inJson(text.slice(4, -4))],
  ]),
)

/** A model that knows the token: it calls a tool with it, and then says it in small pieces. */
const told = [
  events(chat.asking([{ id: 'c1', name: 'read_notes', arguments: JSON.stringify({ text: words }) }])),
  events([
    ...(words.match(/.{1,7}/g) ?? []).flatMap((piece) => chat.begin(piece)),
    ...chat.end(),
    ...chat.usage(),
    ...chat.done(),
  ]),
]

test('a token that a site and a model write in every way that programs do gets nowhere', async (t) => {
  const site = await startPoisonedSite(t, 'echo', { notes: spellings })
  const { platform, provider } = await openProvider(t, [{ models: ['chat'] }], { allow: [site.host] })
  const someone = await customer(platform)
  const entryId = (await call(someone, vault.addToVault, { body: { url: site.origin, token } })).body.id
  const sites = [{ vaultEntryId: entryId }]

  provider.play('chat', told)
  const agent = await agentOf(someone, { model: 'chat', sites, systemPrompt: 'Read.' })
  const { id: runId } = (await start(someone, agent)).body
  const watched = await watch(someone, runId)
  const run = await ended(someone, runId)
  await watched.ended
  t.is(run.status, 'completed', run.reason ?? '')

  provider.play('chat', told)
  const session = await openSession(someone, { model: 'chat', sites })
  const said = await partsOf(t, await send(session, { text: `Read ${words}`, stream: true }))

  const direct = await call(someone, vault.callTool, { params: { entryId, toolName: 'read_notes' }, body: {} })
  const connection = await Connection.connect({ address: platform.config.temporal.address })
  t.teardown(() => connection.close())
  const { namespace, taskQueue } = platform.config.temporal
  const client = new Client({ connection, namespace })
  const held = await heldByTemporal(client, taskQueue, { runIds: [runId], agentIds: [agent.id] })
  const account = JSON.stringify((await call(someone, exportAccount)).body)
  const history = await historyOf(session)
  const answers = history.items.filter(({ role }) => role === 'assistant')

  /** By place, what stands there, and whether something of it was replaced. */
  const places: Record<string, { texts: string[]; isReplaced: boolean }> = {
    'the run': { texts: [JSON.stringify(run)], isReplaced: true },
    'its timeline': { texts: [JSON.stringify(await timelineOf(someone, runId))], isReplaced: true },
    'the events of the run': { texts: [JSON.stringify(watched.events)], isReplaced: true },
    'its live words': { texts: [JSON.stringify(watched.words)], isReplaced: false },
    'the words of the chat': { texts: [textOf(said)], isReplaced: true },
    'the stream of the chat': { texts: [JSON.stringify(said)], isReplaced: true },
    'the history of the chat': { texts: [JSON.stringify(answers)], isReplaced: true },
    'a direct call': { texts: [JSON.stringify(direct.body)], isReplaced: true },
    prompts: { texts: provider.requestsOf('chat').map(({ body }) => JSON.stringify(body)), isReplaced: true },
    'arguments at the site': { texts: site.received.map(({ body }) => body), isReplaced: true },
    // What the user has written is the user's, and is exported as it is.
    'the export': {
      texts: [account.replaceAll(inJson(inJson(words)), '').replaceAll(inJson(words), '')],
      isReplaced: true,
    },
    'the log': { texts: platform.logs, isReplaced: false },
    Temporal: { texts: [...held.values()].flat(), isReplaced: false },
  }
  for (const [place, { texts, isReplaced }] of Object.entries(places)) {
    t.true(texts.length > 0, place)
    t.deepEqual(sightings(canaries, texts), [], place)
    if (isReplaced) t.true(texts.join('\n').includes('[token]'), place)
  }
  // The site has really been sent the token, and the canaries would have been seen.
  t.true(site.received.every((request) => request.token === token))
  const found = sightings(canaries, [words, inJson(words)])
  for (const how of Object.keys(canaries))
    t.true(
      found.some((line) => line.startsWith(`${how} in: `)),
      how,
    )
})
