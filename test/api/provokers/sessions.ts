import * as sessions from '../../../api/sessions.ts'
import { newToken } from '../../../src/secrets/opaque-tokens.ts'
import { call } from '../../helpers/client.ts'
import { eventually } from '../../helpers/eventually.ts'
import { person } from '../../helpers/people.ts'
import { fillSessions, sessionOf, withToken } from '../../helpers/sessions.ts'
import type { Recorder } from '../recorder.ts'
import type { Stage } from '../stage.ts'
import type { Table } from './table.ts'

/** Sessions whose tokens are refused. */
export function sessionsInBadStates({ platform, nobody, owner }: Pick<Stage, 'platform' | 'nobody' | 'owner'>) {
  const { database } = platform.services

  /** A session of somebody who has not accepted the terms that are in force since. */
  async function ofOldTerms() {
    const someone = await person(platform)
    const made = await sessionOf(someone)
    await database('users').where({ email: someone.email }).update({ termsVersion: 'of old' })
    return made
  }
  const expired = once(async () => {
    const made = await sessionOf(owner, { ttlSeconds: 1 })
    return eventually(10, 'the session expires', async () => {
      const { status } = await call(nobody, sessions.getCurrentSession, { headers: withToken(made) })
      return status === 410 ? made : undefined
    })
  })
  async function ended() {
    const made = await sessionOf(owner)
    await call(owner, sessions.endSession, { params: { sessionId: made.id } })
    return made
  }
  return { expired, ended, ofOldTerms }
}

export function sessionsTable({ platform, nobody, owner }: Stage, { ask }: Recorder): Table {
  const { expired, ended, ofOldTerms } = sessionsInBadStates({ platform, nobody, owner })
  const ofCurrent = (route: typeof sessions.getCurrentSession | typeof sessions.endCurrentSession) => {
    const as = (made: { token: string }) =>
      ask(nobody, route as typeof sessions.endCurrentSession, { headers: withToken(made) })
    return {
      done: async () => as(await sessionOf(owner)),
      INVALID_SESSION: async () => as(await ended()),
      SESSION_NOT_FOUND: () => as({ token: newToken('session') }),
      SESSION_EXPIRED: async () => as(await expired()),
      TERMS_NOT_ACCEPTED: async () => as(await ofOldTerms()),
    }
  }
  return {
    createSession: {
      done: () => ask(owner, sessions.createSession, { body: {} }),
      async FEATURE_LIMIT_REACHED() {
        const someone = await person(platform)
        await fillSessions(platform, someone, 1000)
        return ask(someone, sessions.createSession, { body: {} })
      },
    },
    listSessions: { done: () => ask(owner, sessions.listSessions) },
    getCurrentSession: ofCurrent(sessions.getCurrentSession),
    endCurrentSession: ofCurrent(sessions.endCurrentSession),
    endSession: {
      done: async () => ask(owner, sessions.endSession, { params: { sessionId: (await sessionOf(owner)).id } }),
    },
  }
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => (made ??= make())
}
