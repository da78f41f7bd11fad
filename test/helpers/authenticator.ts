import { Secret, TOTP } from 'otpauth'
import * as totp from '../../api/totp.ts'
import { call } from './client.ts'
import type { Person } from './people.ts'

/** The code of an authenticator app at a time, or a number of 30-second steps later. */
export const codeAt = (secret: string, now = new Date(), steps = 0): string =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: now.getTime() + steps * 30_000 })

/** Six digits that are not a valid code around that time. */
export function wrongCodeAt(secret: string, now = new Date()): string {
  const right = new Set([-2, -1, 0, 1, 2].map((steps) => codeAt(secret, now, steps)))
  return ['000000', '111111', '222222', '333333', '444444', '555555'].find((code) => !right.has(code)) ?? ''
}

/** Sets up an authenticator app, which uses up the code of that time. */
export async function setUpTotp(someone: Person, now = new Date()) {
  const { body } = await call(someone, totp.startTotp, { body: { currentPassword: someone.password } })
  const { secret } = body
  const confirmed = await call(someone, totp.confirmTotp, { body: { code: codeAt(secret, now) } })
  return { secret, recoveryCodes: confirmed.body.recoveryCodes }
}
