import { AsyncLocalStorage } from 'node:async_hooks'
import type { Knex } from 'knex'
import { createTurns } from '../threads/turns.ts'

type Transaction = Knex.Transaction

/** Checks again whether a change is permitted, with the data committed by now. Throws if not. */
export type Permitted = (trx: Transaction) => Promise<void>

interface Request {
  party: string
  isPermitted: Permitted
  /** The change may end its own permission, as a logout does. Then the check precedes its first transaction. */
  endsAccess: boolean
  isOver: boolean
}

const requests = new AsyncLocalStorage<Request | undefined>()

/**
 * Runs the work of a request. Each of its transactions commits only if the change is still permitted, however long the
 * request has waited. Work that outlives it is not checked.
 */
export async function whilePermitted<T>(
  isPermitted: Permitted,
  { party, endsAccess = false }: { party: string; endsAccess?: boolean | undefined },
  work: () => Promise<T>,
): Promise<T> {
  const request: Request = { party, isPermitted, endsAccess, isOver: false }
  try {
    return await requests.run(request, work)
  } finally {
    request.isOver = true
  }
}

/**
 * Runs work that no longer depends on its caller: it records the action of a site or a payment gateway, or serves
 * several requests.
 */
export const regardless = <T>(work: () => T): T => requests.run(undefined, work)

/** The permission check of the current request, for batches of several requests. */
export function permittedNow(): Permitted | undefined {
  const request = requests.getStore()
  return request && !request.isOver ? request.isPermitted : undefined
}

/** A transaction's work with the permission check at its end: its locks are held, and the commit follows. */
export function guarded<T>(work: (trx: Transaction) => Promise<T>): (trx: Transaction) => Promise<T> {
  const request = requests.getStore()
  if (!request || request.isOver) return work
  if (!request.endsAccess) {
    return async (trx) => {
      const result = await work(trx)
      await request.isPermitted(trx)
      return result
    }
  }
  request.isOver = true
  return async (trx) => {
    await request.isPermitted(trx)
    return work(trx)
  }
}

/**
 * Starts a transaction in the turn of its account. The changes of one account lock the same row, so waiting ones must
 * not hold connections that others need.
 */
export function createAccountTurns(each: number) {
  const turns = createTurns(Infinity, { each })
  return <T>(begin: () => Promise<T>): Promise<T> => {
    const request = requests.getStore()
    return request && !request.isOver ? turns.take(request.party, begin) : begin()
  }
}
