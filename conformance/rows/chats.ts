import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Json } from '../client.ts'
import { accepted, assert, assertError, assertSame, refused, outcomeOf } from '../expect.ts'
import type { Row } from '../row.ts'
import { historyOf, ofSession, openSession, say } from '../sessions.ts'
import type { Stage } from '../stage.ts'
import { until } from '../until.ts'
import { plainEntry } from './sites.ts'

/** An answer may take 90 seconds (docs/specification.md, "Limits"). */
const answerSeconds = 90

/** The free tier may chat, too. */
const open = async ({ client, people }: Stage, body = {}) => openSession(client, await people.free(), body)
/** A chat of the owner that may search the checker's first site. */
async function openWithSite(stage: Stage): Promise<Json> {
  const { entryId: vaultEntryId } = await plainEntry(stage)
  const sites = [{ vaultEntryId, tools: ['search_things'] }]
  return openSession(stage.client, await stage.people.owner(), { sites })
}

const look = ({ client }: Stage, token: string) =>
  client.send({ url: '/sessions/current', headers: { 'x-session-token': token } })

async function endedSession(stage: Stage) {
  const session = await open(stage)
  const headers = ofSession(session)
  accepted(await stage.client.send({ method: 'DELETE', url: '/sessions/current', headers }), 204)
  return session
}

const unknownToken = (): string => `sy_session_${randomBytes(32).toString('base64url')}`

/** A session that lasts a second, after it has expired. */
const expiredSession = (stage: Stage) =>
  stage.once('expired session', async () => {
    const session = await open(stage, { ttlSeconds: 1 })
    const before = await look(stage, String(session['token']))
    await delay(1_500)
    return { session, before }
  })

/** One answer that takes too long, shared by all rows about it. */
const lateAnswer = (stage: Stage) =>
  stage.once('late answer', async () => say(stage.client, await open(stage), `[[sleep ${answerSeconds + 6}]]`))

/** Whether the answer has the text before the call, and the call with its result. */
const hasBoth = (parts: readonly Json[]): boolean =>
  parts.some(({ text }) => String(text).includes('The first words.')) &&
  parts.some(({ type, state }) => type === 'dynamic-tool' && state === 'output-available')

const partsIn = (text: string): Json[] =>
  text.split('\n').flatMap((line) => (line.startsWith('data: {') ? [JSON.parse(line.slice(6)) as Json] : []))

export const chatRows: Row[] = [
  {
    id: 'codes/INVALID_SESSION',
    says: 'session token invalid; create a new session via POST /sessions',
    async run(stage) {
      const invalid = refused(await look(stage, 'not-a-session'), 'INVALID_SESSION')
      refused(await stage.client.send({ url: '/sessions/current' }), 'INVALID_SESSION')
      refused(await look(stage, String((await endedSession(stage))['token'])), 'INVALID_SESSION')
      return `${invalid}; also without a token, and for a session that was ended`
    },
  },
  {
    id: 'codes/SESSION_NOT_FOUND',
    says: 'no session with the given token',
    async run(stage) {
      return refused(await look(stage, unknownToken()), 'SESSION_NOT_FOUND')
    },
  },
  {
    id: 'codes/SESSION_EXPIRED',
    says: 'session has expired',
    async run(stage) {
      const { session } = await expiredSession(stage)
      const evidence = refused(await look(stage, String(session['token'])), 'SESSION_EXPIRED')
      refused(await say(stage.client, session, 'Hello.'), 'SESSION_EXPIRED')
      return `${evidence}, also for a message, after ttlSeconds 1`
    },
  },
  {
    id: 'codes/CHAT_TIMEOUT',
    says: 'AI response took longer than 90 seconds',
    needs: ['directives'],
    isSlow: true,
    run: async (stage) => refused(await lateAnswer(stage), 'CHAT_TIMEOUT'),
  },
  {
    id: 'limits/AI response time',
    says: '90 seconds in a chat; excess gives CHAT_TIMEOUT',
    needs: ['directives'],
    isSlow: true,
    async run(stage) {
      const seconds = (await lateAnswer(stage)).ms / 1000
      assert(seconds >= answerSeconds, `the answer was given up after ${seconds.toFixed(1)} s`)
      assert(seconds < answerSeconds + 6, `the answer was given up only after ${seconds.toFixed(1)} s`)
      return `given up after ${seconds.toFixed(1)} s`
    },
  },
  {
    id: 'codes/STREAM_ABORTED',
    says: 'client disconnected during streaming; the partial response is not saved',
    needs: ['directives', 'cards', 'ownSites'],
    async run(stage) {
      const { client } = stage
      const session = await openWithSite(stage)
      const leaving = new AbortController()
      const text = '[[say The first words.]] [[call search_things {"query": "a"}]] [[then]] [[sleep 40]]'
      const sent = say(client, session, '', { body: { text, stream: true }, signal: leaving.signal }).catch(
        () => undefined,
      )
      await until(30, 'words and a call are in the history while the answer is under way', async () => {
        const [, answer] = await historyOf(client, session)
        return answer?.status === 'running' && hasBoth(answer.parts) ? answer : undefined
      })
      leaving.abort()
      await sent
      const failed = await until(30, 'the answer is given up', async () => {
        const [, answer] = await historyOf(client, session)
        return answer?.status === 'running' ? undefined : answer
      })
      assertError(failed.error ?? {}, 'STREAM_ABORTED')
      const kept = failed.parts.map(({ type, state = null }) => ({ type, state }))
      const call = { type: 'dynamic-tool', state: 'output-available' }
      assertSame(kept, [{ type: 'step-start', state: null }, call], 'what is kept of the answer')
      return `${String(failed.error?.['statusCode'])} STREAM_ABORTED in GET /chat/messages, without the words of before, and with the call that was made`
    },
  },
  {
    id: 'codes/MODEL_ERROR',
    says: 'the AI provider returned an error',
    needs: ['directives'],
    run: async (stage) => refused(await say(stage.client, await open(stage), '[[fail 500]]'), 'MODEL_ERROR'),
  },
  {
    id: 'errors/In a stream',
    says: 'an error after the first part of a streamed answer has the same members',
    needs: ['directives', 'cards', 'ownSites'],
    async run(stage) {
      const text = '[[say The first words.]] [[call search_things {"query": "a"}]] [[fail 400]]'
      const answer = await say(stage.client, await openWithSite(stage), '', { body: { text, stream: true } })
      assert(answer.status === 200, `${answer.asked} answered ${outcomeOf(answer)}, and no stream`)
      const parts = partsIn(answer.text)
      const words = parts.flatMap(({ delta }) => (typeof delta === 'string' ? [delta] : [])).join('')
      assert(words.includes('The first words.'), 'the stream lacks the first words')
      const errors = parts.filter(({ type }) => type === 'data-error')
      assertSame(errors.length, 1, 'the number of errors in the stream')
      assertError(errors[0]?.['data'] as Json, 'MODEL_ERROR')
      return '200, the first words, then MODEL_ERROR with error, code and statusCode 502'
    },
  },
  {
    id: 'states/Session',
    says: 'valid, expired; rule 3: expired 410, invalid 400, unknown 404',
    async run(stage) {
      const { before, session } = await expiredSession(stage)
      accepted(before)
      const expired = refused(await look(stage, String(session['token'])), 'SESSION_EXPIRED')
      const invalid = refused(await look(stage, 'not-a-session'), 'INVALID_SESSION')
      const unknown = refused(await look(stage, unknownToken()), 'SESSION_NOT_FOUND')
      return `valid: ${outcomeOf(before)}; expired: ${expired}; invalid: ${invalid}; unknown: ${unknown}`
    },
  },
  {
    id: 'platform/POST sessions',
    says: 'POST /sessions creates a session, and its token is good for a chat',
    needs: ['directives'],
    async run(stage) {
      const answer = await say(stage.client, await open(stage), '[[say All is well.]]')
      assert(answer.text.includes('All is well.'), 'the answer is missing')
      return `an answer: ${outcomeOf(answer)}`
    },
  },
]
