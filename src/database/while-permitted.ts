import { AsyncLocalStorage } from 'node:async_hooks'
import type { Knex } from 'knex'
import { createTurns } from '../threads/turns.ts'

type Transaction = Knex.Transaction

/** Asks again whether a change may be made, with what is committed by now. Throws if not. */
export type Permitted = (trx: Transaction) => Promise<void>

/** The request that the code works for. */
interface Request {
  /** The account that asks. */
  party: string
  isPermitted: Permitted
  /** The change may end what permits it, as a logout does: then the question comes before its first transaction. */
  endsAccess: boolean
  isOver: boolean
}

const requests = new AsyncLocalStorage<Request | undefined>()

/**
 * Does the work of a request. Each of its transactions commits only if the change is permitted still, however long the
 * request has waited before: for a slow site, for a lock, or for its turn. What continues after the work is not asked about.
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
 * Does what no caller decides about any more: records what a site or a payment gateway has done, or works for several
 * requests at once.
 */
export const regardless = <T>(work: () => T): T => requests.run(undefined, work)

/** The question of the request that is in progress, for those who gather the changes of several requests. */
export function permittedNow(): Permitted | undefined {
  const request = requests.getStore()
  return request && !request.isOver ? request.isPermitted : undefined
}

/** The work of a transaction, with the question: at its end, when its locks are held, and before the commit. */
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
 * Begins a transaction when it is the turn of the account that asks for it. The changes of one account lock the same
 * row, so they wait for each other anyway. Those that wait must not hold the connections that its neighbours need.
 */
export function createAccountTurns(each: number) {
  const turns = createTurns(Infinity, { each })
  return <T>(begin: () => Promise<T>): Promise<T> => {
    const request = requests.getStore()
    return request && !request.isOver ? turns.take(request.party, begin) : begin()
  }
}
