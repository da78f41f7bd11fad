import { hash, verify } from '@node-rs/argon2'
import { createTurns } from '../threads/turns.ts'
import { assertThat, CodedError } from '../errors.ts'
import { isStorable } from '../text.ts'

/** The cost of hashing a password. */
export interface PasswordCost {
  /** Parameters of argon2id, the library's default algorithm. */
  parameters: { memoryCost: number; timeCost: number; parallelism: number }
  /** A hash with these parameters of an unknown password: a login with an unknown address costs the same time. */
  dummyHash: string
}

/** OWASP Password Storage Cheat Sheet: argon2id with 19 MiB, two passes, one lane. */
export const owaspCost: PasswordCost = {
  parameters: { memoryCost: 19_456, timeCost: 2, parallelism: 1 },
  dummyHash: '$argon2id$v=19$m=19456,t=2,p=1$l/Oy70aDRd6GRx34T40lZQ$kwVvNs8X5aleRRXo+QoCBkW+KvbIAIvc9pSlJ94f6zU',
}

/** Three at once leave one of libuv's four threads for DNS and files, and limit the memory to 60 MB. */
const atOnce = 3

/** In whose turn a password is hashed that no client has sent. */
const own = 'own'

/** How many passwords of one network may wait: with more, an answer would take seconds, so the request is refused. */
const waitingAtMost = 200

const shortest = 10
const longest = 256

/** The password as it is hashed (NFC, so that keyboards agree), or why it is not acceptable. */
function check(written: string): { password: string } | { problem: string } {
  if (written.length > longest * 4) return { problem: `Must have at most ${longest} characters.` }
  const password = written.normalize('NFC')
  const length = Array.from(password).length
  if (length < shortest) return { problem: `Must have at least ${shortest} characters.` }
  if (length > longest) return { problem: `Must have at most ${longest} characters.` }
  if (!isStorable(password)) return { problem: 'Must be text without NUL characters.' }
  return { password }
}

/** A new password, normalized: 10 to 256 characters without NUL, else VALIDATION_ERROR at `path`. */
export function readNewPassword(written: string, path: string): string {
  const checked = check(written)
  if ('password' in checked) return checked.password
  throw new CodedError('VALIDATION_ERROR', {
    message: 'The password is invalid.',
    details: [{ path, message: checked.problem }],
  })
}

/** Tells whoever signs in by a provider alone how to get a password: UNAUTHORIZED. */
export function assertPassword(stored: string | null | undefined): asserts stored is string {
  const message = 'This account has no password yet. Set one with POST /auth/forgot-password.'
  assertThat(typeof stored === 'string', 'UNAUTHORIZED', { message })
}

/**
 * Hashes and verifies passwords, a few at a time, and in turns: the network goes first that had its last turn longest ago, so
 * nobody who tries many passwords holds up the logins of others. RATE_LIMITED if too many of one network are waiting.
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

    /** Whether the password is right. Takes as long if there is no stored hash: no such user, or one without a password. */
    async verify(stored: string | null | undefined, written: string, network = own): Promise<boolean> {
      // An overlong password is compared as the empty one, which never matches, so that it takes as long. The other
      // rules apply to new passwords only: tightening them must not lock users out.
      const password = written.length > longest * 4 ? '' : written.normalize('NFC')
      const matches = await limited(network, () => verify(stored ?? dummyHash, password))
      return matches && typeof stored === 'string'
    },
  }
}

export type Passwords = ReturnType<typeof createPasswords>
