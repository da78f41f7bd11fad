import { eventually } from './eventually.ts'
import type { Platform } from './platform.ts'

/** The mails to an address, newest first. Without a mail server, the outbox keeps them. */
export async function mailsTo({ services }: Pick<Platform, 'services'>, address: string) {
  const { items } = await services.outbox.list({ limit: 100 })
  return items.filter(({ to }) => to === address).map(({ subject, text }) => ({ subject, text: text ?? '' }))
}

/** The token in the newest mail to an address that has one. Fails if there is none. */
export async function tokenTo(platform: Pick<Platform, 'services'>, address: string): Promise<string> {
  const [token] = (await tokensTo(platform, address)).slice(0, 1)
  if (token === undefined) throw new Error(`no token was mailed to ${address}`)
  return token
}

/** All tokens mailed to an address, newest first. */
export async function tokensTo(platform: Pick<Platform, 'services'>, address: string): Promise<string[]> {
  const mails = await mailsTo(platform, address)
  return mails.flatMap(({ text }) => /\bsy_[a-z]+_[\w-]{43}\b/.exec(text)?.[0] ?? [])
}

/** Requests a password reset, processes it, and returns the mailed token. */
export async function resetTokenOf(platform: Platform, email: string): Promise<string> {
  const { recovery } = platform.services.users
  const known = await tokensTo(platform, email)
  await recovery.ask(email, '192.0.2.1')
  // Another test of the same platform may be processing it.
  return eventually(20, `a token is mailed to ${email}`, async () => {
    await recovery.carryOut()
    return (await tokensTo(platform, email)).find((token) => !known.includes(token))
  })
}
