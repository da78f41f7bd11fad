import { hash, verify } from '@node-rs/argon2'
import pLimit from 'p-limit'
import { assertThat, CodedError } from '../errors.ts'

/** What a password costs to hash. */
export interface PasswordCost {
  /** For argon2id, the library's default. */
  parameters: { memoryCost: number; timeCost: number; parallelism: number }
  /** A hash by these parameters that no password is known for: logging in as nobody costs as much as as somebody. */
  dummyHash: string
}

/** OWASP Password Storage Cheat Sheet: argon2id with 19 MiB, two passes, one lane. */
export const owaspCost: PasswordCost = {
  parameters: { memoryCost: 19_456, timeCost: 2, parallelism: 1 },
  dummyHash: '$argon2id$v=19$m=19456,t=2,p=1$l/Oy70aDRd6GRx34T40lZQ$kwVvNs8X5aleRRXo+QoCBkW+KvbIAIvc9pSlJ94f6zU',
}

/** Three at once leave one of libuv's four threads to name look-ups and files, and bound the memory at 60 MB. */
const atOnce = 3

/** With more waiting than this, an answer would take seconds: better to say so. */
const waitingAtMost = 200

const shortest = 10
const longest = 256

/** The password as it is hashed (NFC, so that two keyboards agree), or why it is unfit. */
function judge(written: string): { password: string } | { problem: string } {
  if (written.length > longest * 4) return { problem: `Must have at most ${longest} characters.` }
  const password = written.normalize('NFC')
  const length = Array.from(password).length
  if (length < shortest) return { problem: `Must have at least ${shortest} characters.` }
  if (length > longest) return { problem: `Must have at most ${longest} characters.` }
  if (password.includes('\0') || !password.isWellFormed()) return { problem: 'Must be text without NUL characters.' }
  return { password }
}

/** A password somebody wants to have, normalised: 10 to 256 characters, no NUL, else VALIDATION_ERROR at `path`. */
export function readNewPassword(written: string, path: string): string {
  const judged = judge(written)
  if ('password' in judged) return judged.password
  throw new CodedError('VALIDATION_ERROR', {
    message: 'The password is not acceptable.',
    details: [{ path, message: judged.problem }],
  })
}

/** Hashing and checking of passwords, a few at a time; a flood is answered with RATE_LIMITED. */
export function createPasswords({ parameters, dummyHash }: PasswordCost) {
  const limit = pLimit(atOnce)
  const limited = async <T>(work: () => Promise<T>): Promise<T> => {
    assertThat(limit.pendingCount < waitingAtMost, 'RATE_LIMITED', { retryAfter: 2 })
    return limit(work)
  }
  return {
    /** The hash to store, of a password from `readNewPassword`. */
    hash: (password: string): Promise<string> => limited(() => hash(password, parameters)),

    /** Whether the password is the right one; takes as long when there is no stored hash (no such user). */
    async verify(stored: string | undefined, written: string): Promise<boolean> {
      // What is too long to be anybody's password is compared all the same, as the empty one, which is nobody's. The
      // other rules are for new passwords: raising them later must not lock anybody out.
      const password = written.length > longest * 4 ? '' : written.normalize('NFC')
      const matches = await limited(() => verify(stored ?? dummyHash, password))
      return matches && stored !== undefined
    },
  }
}

export type Passwords = ReturnType<typeof createPasswords>
