import type { ExecutionContext } from 'ava'
import * as chat from '../../../api/chat.ts'
import type { AnyRoute } from '../../../api/route/route.ts'
import type { ErrorCode } from '../../../src/errors.ts'
import { newId } from '../../../src/ids.ts'
import { newToken } from '../../../src/secrets/opaque-tokens.ts'
import type { Client } from '../../helpers/client.ts'
import { startPlatform } from '../../helpers/platform.ts'
import { sessionOf, withToken } from '../../helpers/sessions.ts'
import type { Recorder } from '../recorder.ts'
import type { Spender } from '../spender.ts'
import { paramsOf, type Stage } from '../stage.ts'
import { sessionsInBadStates } from './sessions.ts'
import type { Table } from './table.ts'

export function chatTable(t: ExecutionContext, stage: Stage, { ask }: Recorder, spender: Spender): Table {
  const { platform, nobody, owner } = stage
  const { database } = platform.services
  const { expired, ended, ofOldTerms } = sessionsInBadStates(stage)

  const as = (route: AnyRoute, { token }: { token: string }, body?: object, client: Client = nobody) =>
    ask(client, route, {
      params: paramsOf(route, { chatId: newId() }),
      headers: withToken({ token }),
      ...(body && { raw: JSON.stringify(body) }),
    })
  const ofSession = (route: AnyRoute, body?: object) => ({
    done: async () => as(route, await sessionOf(owner), body),
    INVALID_SESSION: async () => as(route, await ended(), body),
    SESSION_NOT_FOUND: () => as(route, { token: newToken('session') }, body),
    SESSION_EXPIRED: async () => as(route, await expired(), body),
    TERMS_NOT_ACCEPTED: async () => as(route, await ofOldTerms(), body),
  })
  const send = chat.sendChatMessage as AnyRoute
  const resume = chat.resumeChatStream as AnyRoute
  const stop = chat.stopChatStream as AnyRoute

  /** Resumes an answer that went on after an approval and has just failed with the code. */
  async function resumed(errorCode: ErrorCode) {
    const session = await sessionOf(owner)
    await as(send, session, { text: '[[fail 500]]' })
    await database('chat_answers').where({ sessionId: session.id }).update({ errorCode, waitedMs: 1 })
    return as(resume, session)
  }

  return {
    sendChatMessage: {
      ...ofSession(send, { text: '[[say Hello.]]' }),
      async FEATURE_LIMIT_REACHED() {
        const session = await sessionOf(owner)
        await database('sessions').where({ id: session.id }).update({ lastNumber: 25_000 })
        return as(send, session, { text: 'Hello.' })
      },
      async NO_CREDITS() {
        const { someone } = await spender()
        return as(send, await sessionOf(someone), { text: 'Hello.' })
      },
      MODEL_ERROR: async () => as(send, await sessionOf(owner), { text: '[[fail 500]]' }),
      async CHAT_TIMEOUT() {
        const env = { DATABASE_URL: platform.config.database.url, BASE_URL: platform.url, CHAT_TIMEOUT_SECONDS: '1' }
        const { url } = await startPlatform(t, { env })
        return as(send, await sessionOf(owner), { text: '[[sleep 20]]' }, { url })
      },
    },
    listChatMessages: ofSession(chat.listChatMessages as AnyRoute),
    resumeChatStream: {
      ...ofSession(resume),
      NO_CREDITS: () => resumed('NO_CREDITS'),
      MODEL_ERROR: () => resumed('MODEL_ERROR'),
      CHAT_TIMEOUT: () => resumed('CHAT_TIMEOUT'),
    },
    stopChatStream: {
      ...ofSession(stop),
      async done() {
        const session = await sessionOf(owner)
        await as(send, session, { text: '[[say Hello.]]', id: 'mine' })
        return ask(nobody, stop, { params: paramsOf(stop, { chatId: 'mine' }), headers: withToken(session) })
      },
      NOT_FOUND: async () => as(stop, await sessionOf(owner)),
    },
  }
}
