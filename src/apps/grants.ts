import type { Adapter } from 'oidc-provider'
import type { Clock } from '../clock.ts'
import type { Database } from '../database/database.ts'
import { isId } from '../ids.ts'
import { ConnectedApp } from './connected-app.ts'
import { unused, type Records } from './records.ts'

const secondsOf = (time: Date): number => Math.floor(time.getTime() / 1000)

/** The grants of the authorization server, which are the connected apps. It ends them, and people make them. */
export function createGrants(context: {
  database: Database
  clock: Clock
  records: Records
  resource: string
}): Adapter {
  const { database, clock, records, resource } = context
  return {
    ...unused,
    async find(id) {
      if (!isId(id)) return undefined
      const app = await ConnectedApp.query(database).findById(id).where('expiresAt', '>', clock.now())
      if (!app) return undefined
      const { clientId, scopes, createdAt, expiresAt } = app
      const times = { iat: secondsOf(createdAt), exp: secondsOf(expiresAt) }
      return { jti: id, kind: 'Grant', accountId: id, clientId, ...times, resources: { [resource]: scopes.join(' ') } }
    },
    upsert: () => Promise.reject(new Error('Only people make grants.')),
    destroy: (id) => records.end(id),
  }
}

/** The library's own sessions: none. A person is signed in to the console, or not at all, and is asked every time. */
export const noSessions: Adapter = {
  ...unused,
  find: async () => {},
  upsert: async () => {},
  destroy: async () => {},
}
