import { hashSync } from '@node-rs/argon2'
import type { PasswordCost } from '../../src/users/passwords.ts'

const parameters = { memoryCost: 8, timeCost: 1, parallelism: 1 }

/** argon2's minimum cost, because nearly every test registers a user. The cost in production has its own test. */
export const cheapCost: PasswordCost = { parameters, dummyHash: hashSync('nobody’s password', parameters) }
