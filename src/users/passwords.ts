import { hash, verify } from '@node-rs/argon2'
import { createTurns } from '../threads/turns.ts'
import { assertThat, CodedError } from '../errors.ts'
import { isStorable } from '../text.ts'

/** The cost of hashing. */
export interface PasswordCost {
  /** Parameters of argon2id, the library's default. */
  parameters: { memoryCost: number; timeCost: number; parallelism: number }
  /** The hash of an unknown password with these parameters: a login with an unknown address takes equally long. */
  dummyHash: string
}

/** OWASP Password Storage Cheat Sheet: argon2id with 19 MiB, two passes, one lane. */
export const owaspCost: PasswordCost = {
  parameters: { memoryCost: 19_456, timeCost: 2, parallelism: 1 },
  dummyHash: '$argon2id$v=19$m=19456,t=2,p=1$l/Oy70aDRd6GRx34T40lZQ$kwVvNs8X5aleRRXo+QoCBkW+KvbIAIvc9pSlJ94f6zU',
}

/** Leaves one of libuv's four threads for DNS and files, and bounds memory to 60 MB. */
const atOnce = 3

/** The turn of passwords that no client has sent. */
const own = 'own'

/** The most waiting passwords per network. With more, answers would take seconds, so the request is refused. */
const waitingAtMost = 200

export const shortest = 10
export const longest = 256

/** The password to hash (NFC, because keyboards differ), or why it is unacceptable. */
function check(written: string): { password: string } | { problem: string } {
  if (written.length > longest * 4) return { problem: `Must have at most ${longest} characters.` }
  const password = written.normalize('NFC')
  const length = Array.from(password).length
  if (length < shortest) return { problem: `Must have at least ${shortest} characters.` }
  if (length > longest) return { problem: `Must have at most ${longest} characters.` }
  if (!isStorable(password)) return { problem: 'Must be text without NUL characters.' }
  return { password }
}

/** A new password, normalized: 10 to 256 characters without NUL. Otherwise VALIDATION_ERROR at `path`. */
export function readNewPassword(written: string, path: string): string {
  const checked = check(written)
  if ('password' in checked) return checked.password
  throw new CodedError('VALIDATION_ERROR', {
    message: 'The password is invalid.',
    details: [{ path, message: checked.problem }],
  })
}

/** Refuses a user without a password, and says how to get one: UNAUTHORIZED. */
export function assertPassword(stored: string | null | undefined): asserts stored is string {
  const message = 'This account has no password yet. Set one with POST /auth/forgot-password.'
  assertThat(typeof stored === 'string', 'UNAUTHORIZED', { message })
}

/**
 * Hashes and verifies passwords, a few at a time. Networks take turns, so a client that tries many passwords does not
 * delay other logins. RATE_LIMITED if too many from one network are waiting.
 */
export function createPasswords({ parameters, dummyHash }: PasswordCost) {
  const turns = createTurns(atOnce)
  const waiting = new Map<string, number>()
  const limited = async <T>(network: string, work: () => Promise<T>): Promise<T> => {
    const before = waiting.get(network) ?? 0
    assertThat(before < waitingAtMost, 'RATE_LIMITED', { retryAfter: 2 })
    waiting.set(network, before + 1)
    try {
      return await turns.take(network, work)
    } finally {
      const left = (waiting.get(network) ?? 1) - 1
      if (left > 0) waiting.set(network, left)
      else waiting.delete(network)
    }
  }
  return {
    /** The hash to store, for a password from `readNewPassword`. */
    hash: (password: string, network = own): Promise<string> => limited(network, () => hash(password, parameters)),

    /**
     * Whether the password is right. Takes equally long without a stored hash: an unknown user, or one without a
     * password.
     */
    async verify(stored: string | null | undefined, written: string, network = own): Promise<boolean> {
      // An overlong password is compared as the empty one, which never matches, to take equally long. The other rules
      // are for new passwords only: stricter rules must not lock users out.
      const password = written.length > longest * 4 ? '' : written.normalize('NFC')
      const matches = await limited(network, () => verify(stored ?? dummyHash, password))
      return matches && typeof stored === 'string'
    },
  }
}

export type Passwords = ReturnType<typeof createPasswords>
