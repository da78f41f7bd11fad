import { Provider } from 'oidc-provider'
import type { Deed } from '../audit/audit-entry.ts'
import type { ConnectedApp } from './connected-app.ts'

/**
 * The steps of an app's sign-in that no person makes. `signInApp`: it got its first tokens · `failApp`: a request for
 * tokens was refused · `endApp`: it asked for its end, or a code or a refresh token was used by two.
 */
type AppStep = 'signInApp' | 'failApp' | 'endApp'

/** A step of an app for the log of its owner, from the address of the request in progress. */
export const stepOf = (app: ConnectedApp, action: AppStep, after?: Record<string, unknown>): Deed => ({
  ownerId: app.workspaceId ?? app.userId,
  action,
  subjectKind: 'app',
  subjectId: app.id,
  by: { userId: app.userId, via: 'app', viaId: app.id, ...client() },
  after: { name: app.name, redirectHost: app.redirectHost, scopes: app.scopes, ...after },
})

function client() {
  const { ctx } = Provider
  return { address: ctx?.ip, userAgent: ctx?.get('user-agent') || undefined }
}
