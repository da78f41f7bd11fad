import { client } from '../api/client.ts'
import { queries } from '../api/queries.ts'
import { accountQuery } from './account.ts'
import { keepCsrfToken } from './csrf.ts'
import { announceLogin, login } from './login.ts'

interface Credentials {
  email: string
  password: string
  /** Of an authenticator app, or a recovery code. */
  code?: string
}

/** Signs in with cookies. Throws the API's refusal; a detail with the path `code` asks for a code. */
export async function signIn(credentials: Credentials): Promise<void> {
  const { error } = await client.POST('/auth/login', { body: { ...credentials, cookie: true } })
  if (error) throw error
  await noteSignedIn()
}

/** After cookies of a login were set. What was read before may belong to somebody else. */
export async function noteSignedIn(): Promise<void> {
  keepCsrfToken(undefined)
  const before = queries.getQueryData(accountQuery.queryKey)?.id
  const account = await queries.fetchQuery({ ...accountQuery, staleTime: 0 })
  if (before !== account?.id) queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'account' })
  login.set('open')
  announceLogin(account?.id)
}

/** Ends the login. If it has ended already, the result is the same. */
export async function signOut(): Promise<void> {
  await client.POST('/auth/logout')
  login.set('unknown')
  keepCsrfToken(undefined)
  queries.clear()
  announceLogin(undefined)
}
