import type { Clock } from '../clock.ts'
import type { Database } from '../database/database.ts'
import { page, type Page, type PageRequest } from '../database/paging.ts'
import { assertThat } from '../errors.ts'
import { isId } from '../ids.ts'
import { requireLogin, type Caller } from './caller.ts'
import { Login } from './login.ts'
import { RefreshToken } from './refresh-token.ts'

/** A login, as its user sees it. */
type ListedLogin = Login & {
  /** Whether it is the current request's login. */
  current: boolean
}

/** A user's live logins: to list them, and to end one. */
export function createLoginList(context: { database: Database; clock: Clock }) {
  const { database, clock } = context

  /** One page of the caller's live logins, newest first. */
  async function list(caller: Caller, request: PageRequest): Promise<Page<ListedLogin>> {
    const loginId = requireLogin(caller)
    const usable = RefreshToken.query(database)
      .whereColumn('refreshTokens.loginId', 'logins.id')
      .whereNull('consumedAt')
      .where('expiresAt', '>', clock.now())
    const living = Login.query(database).where({ userId: caller.userId }).whereNull('revokedAt').whereExists(usable)
    const { items, nextCursor } = await page(living, { list: 'logins', time: 'createdAt', ...request })
    return { items: items.map((login) => Object.assign(login, { current: login.id === loginId })), nextCursor }
  }

  /** Ends one of the caller's logins; its tokens fail with TOKEN_REVOKED. NOT_FOUND if it is unknown or has ended. */
  async function end(caller: Caller, id: string): Promise<void> {
    requireLogin(caller)
    const open = Login.query(database).where({ id, userId: caller.userId }).whereNull('revokedAt')
    const ended = isId(id) ? await open.patch({ revokedAt: clock.now() }) : 0
    assertThat(ended === 1, 'NOT_FOUND', { message: 'There is no sign-in session with this id.' })
  }

  return { list, end }
}
