import type { Answer, Client, Json, Request } from './client.ts'
import { accepted, outcomeOf } from './expect.ts'
import type { People, Person } from './people.ts'

/** The resources of an account, and the request that deletes each. */
const kinds = [
  { list: '/agents?limit=100', path: '/agents/', query: '' },
  { list: '/vault?limit=100', path: '/vault/', query: '?force=true' },
  { list: '/sessions?limit=100&active=true', path: '/sessions/', query: '' },
  { list: '/auth/api-keys?limit=100', path: '/auth/api-keys/', query: '' },
  { list: '/workspaces?limit=100', path: '/workspaces/', query: '' },
  { list: '/billing/payment-methods', path: '/billing/payment-methods/', query: '' },
]

type Say = (text: string) => void

/**
 * Deletes everything that the check created, then its accounts, and ends the admin's logins. Reports failures.
 * `people.made` keeps the accounts that remain.
 */
export async function cleanUp(client: Client, { made, admins }: People, say: Say): Promise<void> {
  for (const person of made) {
    const problems = await cleanUpAfter(client, person).catch(sentence)
    if (problems.length === 0) made.delete(person)
    else say(`Not all that ${person.email} has is deleted: ${problems.join('; ')}`)
  }
  for (const token of admins) {
    const problems = await refusals(client, [{ method: 'POST', url: '/auth/logout', token }]).catch(sentence)
    if (problems.length > 0) say(`A login of the admin stays: ${problems.join('; ')}`)
  }
}

/** Returns the requests that were refused. */
async function cleanUpAfter(client: Client, person: Person): Promise<string[]> {
  const token = await tokenOf(client, person)
  if (token === undefined) return []
  const deletion = (url: string): Request => ({ method: 'DELETE', url, token })
  const problems: string[] = []
  for (const { list, path, query } of kinds) {
    const items = await listed(client, token, list)
    problems.push(
      ...(await refusals(
        client,
        items.map((id) => deletion(`${path}${id}${query}`)),
      )),
    )
  }
  const { password } = person
  for (const last of [deletion('/billing/subscription'), { ...deletion('/auth/me'), body: { password } }])
    problems.push(...(await refusals(client, [last])))
  return problems
}

/** Logs in to an account whose creation was interrupted; undefined if the account does not exist. */
async function tokenOf(client: Client, { token, email, password }: Person): Promise<string | undefined> {
  if (token !== '') return token
  const answer = await client.send({ method: 'POST', url: '/auth/login', body: { email, password } })
  return answer.status === 401 ? undefined : String(accepted(answer)['accessToken'])
}

/** The ids of a list. Only the owner of a workspace may delete it. */
async function listed(client: Client, token: string, url: string): Promise<string[]> {
  const answer = await client.send({ url, token })
  if (isNothing(answer)) return []
  const items = accepted(answer)['items'] as Json[]
  return items.filter(({ role = 'owner' }) => role === 'owner').map(({ id }) => String(id))
}

async function refusals(client: Client, requests: Request[]): Promise<string[]> {
  const answers = await Promise.all(requests.map((request) => client.send(request)))
  return answers.filter(isRefusal).map((answer) => `${answer.asked} answered ${outcomeOf(answer)}`)
}

const isRefusal = (answer: Answer): boolean => answer.status >= 300 && !isNothing(answer)

/** There is nothing to delete. An account that has not accepted the terms has nothing either. */
const isNothing = ({ status, json }: Answer): boolean => status === 404 || json['code'] === 'TERMS_NOT_ACCEPTED'

const sentence = (error: unknown): string[] => [error instanceof Error ? error.message : String(error)]
