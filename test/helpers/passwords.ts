import { hashSync } from '@node-rs/argon2'
import type { PasswordCost } from '../../src/users/passwords.ts'

const parameters = { memoryCost: 8, timeCost: 1, parallelism: 1 }

/** The least that argon2 can do. Nearly every test registers somebody, and what that costs in production is tested once. */
export const cheapCost: PasswordCost = { parameters, dummyHash: hashSync('nobody’s password', parameters) }
