import { CodedError, isCoded } from '../../errors.ts'
import { SafeFetchError } from '../../safe-fetch/safe-fetch-error.ts'
import { isHeaderToken } from '../header-token.ts'
import type { DialectName } from './dialect-name.ts'
import type { Adapter, KnownSite, ListedSite } from './dialect.ts'
import { UnstatedSignIn } from './unstated-sign-in.ts'

interface Search {
  adapters: Record<DialectName, Adapter>
  /** The kinds that an address may be of, in the order in which they are looked for. */
  possible: (address: string) => DialectName[]
  ask: (dialect: DialectName, address: string, party: string, known: KnownSite) => Promise<ListedSite>
}

/**
 * A host that was silent twice is given up. One that was silent once may only hold every GET open. One that has refused
 * a request for want of a token is also asked for a document, and then with the token. So a search takes four times the
 * time of one request at most, and twice that time at a host that is always silent.
 */
const mostTimeouts = 2

/**
 * Makes the function that finds out of which kind a site is. A token is sent only to a kind that lists its tools by it,
 * and only after the address has shown to be one. An address that refuses everybody without a token may be anything, so
 * all other kinds are looked for before it gets the token.
 */
export const createFindSite =
  ({ adapters, possible, ask }: Search) =>
  async (address: string, party: string, known: KnownSite): Promise<ListedSite> => {
    const failures: CodedError[] = []
    let guess: DialectName | undefined
    let hidden: ListedSite | undefined
    const { token: _token, ...withoutToken } = known
    for (const name of possible(address)) {
      const isTokenWanted = wantsToken(adapters[name], known)
      const found = await ask(name, address, party, adapters[name].isPersonal ? withoutToken : known).catch(
        (error: unknown) => asFailure(error, isTokenWanted),
      )
      if (found instanceof CodedError) failures.push(found)
      else if (found.toolsHidden) hidden = found
      else return isTokenWanted ? ask(name, address, party, known) : found
      if (isTokenWanted && mayBeHidden(found)) guess = name
      if (guess === undefined && failures.filter(isTimeout).length === mostTimeouts) break
    }
    if (guess !== undefined) return ask(guess, address, party, known)
    if (hidden) return hidden
    throw none(failures)
  }

/**
 * An owner who has chosen tools means a site that offers a choice, and so does one whose token is no word for a header.
 * No other site gets the token.
 */
const wantsToken = ({ isPersonal }: Adapter, { token = '', chosen }: KnownSite): boolean =>
  isPersonal && isHeaderToken(token) && chosen === undefined

/**
 * A failure that leaves the other kinds possible, which any other error does not. A list that is invalid for those
 * without a token may be another one with it.
 */
function asFailure(error: unknown, isTokenWanted: boolean): CodedError {
  if (isCoded(error, 'MANIFEST_NOT_FOUND') && !isUnreached(error)) return error
  if (isTokenWanted && isCoded(error, 'MANIFEST_INVALID')) return error
  throw error
}

/** Whether it may be a site that shows its tools only to those with a token. */
const mayBeHidden = (found: CodedError | ListedSite): boolean =>
  !(found instanceof CodedError) || found.code === 'MANIFEST_INVALID' || found.cause instanceof UnstatedSignIn

/** Nothing was sent, so no other request would be answered. */
const isUnreached = ({ cause }: CodedError): boolean => cause instanceof SafeFetchError && !cause.maybeSent

function isTimeout({ cause }: CodedError): boolean {
  const reason = cause instanceof UnstatedSignIn ? cause.cause : cause
  return reason instanceof SafeFetchError && reason.reason === 'timeout'
}

const none = (failures: readonly CodedError[]): CodedError =>
  new CodedError('MANIFEST_NOT_FOUND', {
    message: [...new Set(failures.map(({ message }) => message))].join(' '),
    privateDetail: failures.at(-1)?.privateDetail ?? '',
  })
