import { randomBytes } from 'node:crypto'
import type { Client } from './client.ts'
import { Untried } from './deviation.ts'
import { accepted } from './expect.ts'
import type { Facts } from './facts.ts'
import { createOnce } from './once.ts'

/** An account with a login. `id` and `token` are empty until it exists. */
export interface Person {
  id: string
  email: string
  password: string
  token: string
}

export type People = ReturnType<typeof createPeople>

/**
 * The accounts that rows use. They are few, because each takes two of the requests that one address may send to
 * `/auth` in a minute.
 */
export function createPeople(client: Client, facts: Facts | undefined) {
  const made = new Set<Person>()
  const admins: string[] = []
  const once = createOnce()
  let areAllCustomers = false

  const logIn = async ({ email, password }: Pick<Person, 'email' | 'password'>, more = {}) =>
    accepted(await client.send({ method: 'POST', url: '/auth/login', body: { email, password, ...more } }))

  const acceptTerms = async (token: string) =>
    accepted(await client.send({ method: 'POST', url: '/auth/accept-terms', token }))

  /** An account that has not accepted the terms. */
  async function newcomer(): Promise<Person> {
    const id = randomBytes(6).toString('hex')
    const credentials = { email: `conformance-${id}@example.com`, password: `a long password ${id}` }
    const person = { id: '', token: '', ...credentials }
    // Recorded before the request, because an interruption may come in between.
    made.add(person)
    const account = accepted(await client.send({ method: 'POST', url: '/auth/register', body: credentials }), 201)
    person.id = String(account['id'])
    person.token = String((await logIn(credentials))['accessToken'])
    return person
  }

  async function person(): Promise<Person> {
    const someone = await newcomer()
    await acceptTerms(someone.token)
    return someone
  }

  async function customer(tier: string): Promise<Person> {
    if (areAllCustomers) return person()
    if (!facts?.cards) throw new Untried('It needs an account that pays, and no card is known that pays here.')
    const someone = await person()
    await addCard(someone, facts.cards.good)
    const subscribed = { method: 'POST', url: '/billing/subscription', token: someone.token, body: { tier } } as const
    accepted(await client.send(subscribed))
    return someone
  }

  async function addCard({ token }: Person, paymentMethod: string): Promise<string> {
    const url = '/billing/payment-methods'
    const card = accepted(await client.send({ method: 'POST', url, token, body: { paymentMethod } }), 201)
    return String(card['id'])
  }

  return {
    /** Whether every account has every feature without paying. Then nobody pays. */
    areAllCustomers: () => areAllCustomers,
    makeAllCustomers: () => {
      areAllCustomers = true
    },
    /** All accounts so far, for the clean-up. */
    made,
    /** The access tokens of the admin so far. */
    admins,
    logIn,
    addCard,
    customer,
    /** Pays for the highest tier that a row needs, with webhooks and workspaces. */
    owner: () => once('owner', () => customer('team')),
    /** A free account that has nothing to do with the owner. */
    free: () => once('free', person),
    newcomer: () => once('newcomer', newcomer),
    /** A free account that spends its credits and fills its vault. */
    spender: () => once('spender', person),
    /** The access token of the installation's admin. */
    admin: () =>
      once('admin', async () => {
        const { email = '', password = '' } = facts?.admin ?? {}
        const answer = await client.send({ method: 'POST', url: '/auth/login', body: { email, password } })
        if (answer.status === 401) throw new Untried('It needs an admin, who has another password by now.')
        const token = String(accepted(answer)['accessToken'])
        admins.push(token)
        await acceptTerms(token)
        return token
      }),
  }
}
