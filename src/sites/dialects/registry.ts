import { CodedError, isCoded } from '../../errors.ts'
import { SafeFetchError } from '../../safe-fetch/safe-fetch-error.ts'
import type { DialectName } from './dialect-name.ts'
import type { Adapter, Dialect, KnownSite, ListedSite } from './dialect.ts'
import { createManifestDialect } from './manifest/manifest-dialect.ts'
import { createMcpDialect } from './mcp/mcp-dialect.ts'
import { isUploaded } from './openapi/fetch-document.ts'
import { createOpenApiDialect } from './openapi/openapi-dialect.ts'

/** A host that was silent twice is given up. One that was silent once may only hold every GET open. */
const mostTimeouts = 2

/**
 * The dialects that sites speak. Only this file imports an adapter (docs/understand/how-it-works.md, "Import rules").
 */
export function createDialect(
  context: Parameters<typeof createManifestDialect>[0] &
    Parameters<typeof createMcpDialect>[0] &
    Parameters<typeof createOpenApiDialect>[0],
): Dialect {
  /** In the order in which an address is asked. */
  const adapters: Record<DialectName, Adapter> = {
    manifest: createManifestDialect(context),
    mcp: createMcpDialect(context),
    openapi: createOpenApiDialect(context),
  }

  async function ask(dialect: DialectName, address: string, party: string, known: KnownSite): Promise<ListedSite> {
    return { dialect, ...(await adapters[dialect].list(address, party, known)) }
  }

  async function find(address: string, party: string, known: KnownSite): Promise<ListedSite> {
    const failures: CodedError[] = []
    for (const name of possible(adapters, address, known)) {
      try {
        return await ask(name, address, party, name === 'manifest' ? {} : known)
      } catch (error) {
        if (!isCoded(error, 'MANIFEST_NOT_FOUND') || isUnreached(error)) throw error
        failures.push(error)
        if (failures.filter(isTimeout).length === mostTimeouts) break
      }
    }
    throw none(failures)
  }

  return {
    list: (address, party, known = {}) =>
      known.dialect ? ask(known.dialect, address, party, known) : find(address, party, known),
    isPersonal: (name) => adapters[name].isPersonal,
    offersChoice: (name) => adapters[name].offersChoice,
    call: (call) => adapters[call.dialect].call(call),
    abandon: async (call) => adapters[call.dialect].abandon?.(call),
    access: (name, site, issuer) => adapters[name].access(site, issuer),
  }
}

/**
 * The dialects that an address may be of. Only an address of a document has a fragment, or is that of an
 * uploaded one. With a choice, the owner knows
 * which kind of site it is, so a token is not sent to find it out.
 */
function possible(
  adapters: Record<DialectName, Adapter>,
  address: string,
  { chosen, token = '' }: KnownSite,
): DialectName[] {
  const names = Object.keys(adapters) as DialectName[]
  const isKnown = address.includes('#') || isUploaded(address) || (chosen !== undefined && token !== '')
  return isKnown ? names.filter((name) => adapters[name].offersChoice) : names
}

/** Nothing was sent, so no other request would be answered. */
const isUnreached = ({ cause }: CodedError): boolean => cause instanceof SafeFetchError && !cause.maybeSent

const isTimeout = ({ cause }: CodedError): boolean => cause instanceof SafeFetchError && cause.reason === 'timeout'

const none = (failures: readonly CodedError[]): CodedError =>
  new CodedError('MANIFEST_NOT_FOUND', {
    message: [...new Set(failures.map(({ message }) => message))].join(' '),
    privateDetail: failures.at(-1)?.privateDetail ?? '',
  })
