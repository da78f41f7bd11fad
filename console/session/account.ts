import { queryOptions } from '@tanstack/react-query'
import { client, type Api } from '../api/client.ts'
import { login } from './login.ts'

export type Account = Api['Account']

/** Most of the API refuses an account that has not accepted the current terms. */
export const needsTerms = ({ terms }: Pick<Account, 'terms'>): boolean => terms.acceptedVersion !== terms.currentVersion

/** The address of the account's own things, in the place of a workspace's id. */
export const own = 'me'

/** Where a login begins: at the account's own things, or in the workspace whose provider it came through. */
export const homeOf = ({ id, homeOwnerId }: Pick<Account, 'id' | 'homeOwnerId'>): string =>
  homeOwnerId === id ? own : homeOwnerId

/** The address of an owner's things. */
export const addressOf = (ownerId: string, account: { id: string } | null): string =>
  ownerId === account?.id ? own : ownerId

/** The owners whose things the reader can open: the account, unless the login is restricted, and its workspaces. */
export const ownersOf = (
  account: Pick<Account, 'id' | 'homeOwnerId' | 'email'> | null,
  workspaces: readonly { id: string; name: string }[],
): { id: string; name: string }[] => {
  const isRestricted = account !== null && homeOf(account) !== own
  return [...(isRestricted ? [] : [{ id: own, name: account?.email ?? '' }]), ...workspaces]
}

/** Who is signed in, or null. */
export const accountQuery = queryOptions({
  queryKey: ['account'],
  staleTime: 60_000,
  async queryFn(): Promise<Account | null> {
    const { data, error, response } = await client.GET('/auth/me')
    if (data) {
      login.set('open')
      return data
    }
    // A page that is open keeps its account while a dialog asks to sign in again.
    if (response.status === 401 && login.get() !== 'ended') return null
    throw error
  },
})

/** The workspaces of the account, and their roles. A hundred are more than people switch between. */
export const workspacesQuery = queryOptions({
  queryKey: ['workspaces'],
  staleTime: 60_000,
  async queryFn(): Promise<Api['Workspace'][]> {
    const { data, error } = await client.GET('/workspaces', { params: { query: { limit: 100, order: 'arrival' } } })
    if (data) return data.items
    throw error
  },
})
