import { later, type Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import type { Database, Transaction } from '../database/database.ts'
import { assertThat, CodedError } from '../errors.ts'
import type { Logger } from '../logger.ts'
import type { Outbox } from '../outbox/outbox.ts'
import type { Sealing } from '../secrets/sealing.ts'
import { codesWereGuessed, codeWasUsed } from './second-factor-mails.ts'
import { activeFactor, RecoveryCode, SecondFactor } from './second-factor.ts'
import { hashRecoveryCode, isAppCode, stepOf, tidy } from './totp.ts'
import type { User } from './user.ts'

/** After this many wrong codes in a row, no code is accepted for this long, in seconds. */
const failuresAtMost = 10
const blockSeconds = 3600

type Owner = Pick<User, 'id' | 'email'>

/**
 * Checks codes of second factors; each works once. Codes are checked only after the password, so only its holder can
 * use up the attempts. A password reset by mail resets the count.
 */
export function createCodeCheck(context: {
  database: Database
  clock: Clock
  config: Pick<Config, 'http'>
  logger: Logger
  sealing: Sealing
  outbox: Pick<Outbox, 'put'>
}) {
  const { database, clock, config, logger, sealing, outbox } = context
  const { baseUrl } = config.http

  /**
   * Uses a code of the app or a recovery code. Returns the id of the proved factor; undefined if the user has none.
   * UNAUTHORIZED for a missing or wrong code, with a detail at `code`; RATE_LIMITED after ten wrong ones. The caller
   * has checked the password.
   */
  async function prove(user: Owner, code: string | undefined): Promise<string | undefined> {
    if (!(await activeFactor(database, user.id))) return undefined
    assertThat(code !== undefined, 'UNAUTHORIZED', codeNeeded)
    const outcome = await database.transaction((trx) => attempt(trx, user, code))
    // Thrown after the commit: a throw inside would roll back the count.
    if (outcome.result === 'wrong') throw new CodedError('UNAUTHORIZED', wrongCode)
    if (outcome.result === 'blocked') throw blocked(outcome.until, clock.now())
    return outcome.factorId
  }

  /** Under the factor's lock: only one concurrent use of a code succeeds, and every attempt counts. */
  async function attempt(trx: Transaction, user: Owner, code: string) {
    const factor = await activeFactor(trx, user.id).forUpdate()
    if (!factor) return { result: 'good' as const, factorId: undefined }
    const { id, blockedUntil } = factor
    if (blockedUntil !== null && blockedUntil > clock.now()) return { result: 'blocked' as const, until: blockedUntil }
    if (!(await use(trx, user, factor, tidy(code)))) return fail(trx, user, factor)
    await SecondFactor.query(trx).findById(id).patch({ failures: 0, blockedUntil: null })
    return { result: 'good' as const, factorId: id }
  }

  async function use(trx: Transaction, user: Owner, factor: SecondFactor, code: string): Promise<boolean> {
    if (!isAppCode(code)) return useRecoveryCode(trx, user, factor.id, code)
    const lastStep = stepOf(sealing.open(factor.secret, secretPlace(factor.id)), code, clock.now())
    if (lastStep === undefined || (factor.lastStep !== null && lastStep <= factor.lastStep)) return false
    await SecondFactor.query(trx).findById(factor.id).patch({ lastStep })
    return true
  }

  async function useRecoveryCode(trx: Transaction, user: Owner, factorId: string, code: string): Promise<boolean> {
    const used = await RecoveryCode.query(trx)
      .where({ factorId, codeHash: hashRecoveryCode(code) })
      .delete()
    if (used === 0) return false
    const left = await RecoveryCode.query(trx).where({ factorId }).resultSize()
    await outbox.put(trx, { to: user.email, ...codeWasUsed(left, clock.now(), baseUrl) })
    return true
  }

  async function fail(trx: Transaction, user: Owner, { id, failures }: SecondFactor) {
    if (failures + 1 < failuresAtMost) {
      await SecondFactor.query(trx)
        .findById(id)
        .patch({ failures: failures + 1 })
      return { result: 'wrong' as const }
    }
    const blockedUntil = later(clock.now(), blockSeconds)
    await SecondFactor.query(trx).findById(id).patch({ failures: 0, blockedUntil })
    await outbox.put(trx, { to: user.email, ...codesWereGuessed(clock.now(), baseUrl) })
    logger.warn({ userId: user.id }, 'too many wrong second-factor codes')
    return { result: 'wrong' as const }
  }

  return { prove }
}

export type CodeCheck = ReturnType<typeof createCodeCheck>

export const secretPlace = (id: string) => ({ id, column: 'second_factors.secret' })

export const wrongCode = {
  message: 'The code is wrong or has already been used.',
  details: [{ path: 'code', message: 'Is wrong or has already been used.' }],
}

const codeNeeded = {
  message: 'This account also requires a code. Send the six digits from the authenticator app, or a recovery code.',
  details: [{ path: 'code', message: 'Must be the six digits from the authenticator app, or a recovery code.' }],
}

function blocked(until: Date, now: Date): CodedError {
  const message =
    'Too many wrong codes. After ten wrong codes, all codes are rejected for one hour. To end the wait sooner, reset your password with POST /auth/forgot-password.'
  return new CodedError('RATE_LIMITED', { message, retryAfter: (until.getTime() - now.getTime()) / 1000 })
}
