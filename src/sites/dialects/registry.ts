import { CodedError, isCoded } from '../../errors.ts'
import { SafeFetchError } from '../../safe-fetch/safe-fetch-error.ts'
import type { DialectName } from './dialect-name.ts'
import type { Adapter, Dialect, KnownSite, ListedSite } from './dialect.ts'
import { createManifestDialect } from './manifest/manifest-dialect.ts'
import { createMcpDialect } from './mcp/mcp-dialect.ts'

/**
 * The dialects that sites speak. Only this file imports an adapter (docs/understand/how-it-works.md, "Import rules").
 */
export function createDialect(
  context: Parameters<typeof createManifestDialect>[0] & Parameters<typeof createMcpDialect>[0],
): Dialect {
  const adapters: Record<DialectName, Adapter> = {
    manifest: createManifestDialect(context),
    mcp: createMcpDialect(context),
  }

  async function ask(dialect: DialectName, address: string, party: string, known: KnownSite): Promise<ListedSite> {
    return { dialect, ...(await adapters[dialect].list(address, party, known)) }
  }

  async function find(address: string, party: string, known: KnownSite): Promise<ListedSite> {
    try {
      return await ask('manifest', address, party, {})
    } catch (error) {
      if (!isCoded(error, 'MANIFEST_NOT_FOUND') || isUnreached(error)) throw error
      return await ask('mcp', address, party, known).catch((other: unknown) => {
        throw isCoded(other, 'MANIFEST_NOT_FOUND') ? neither(error, other) : other
      })
    }
  }

  return {
    list: (address, party, known = {}) =>
      known.dialect ? ask(known.dialect, address, party, known) : find(address, party, known),
    isPersonal: (name) => adapters[name].isPersonal,
    call: (call) => adapters[call.dialect].call(call),
    abandon: async (call) => adapters[call.dialect].abandon?.(call),
    access: (name, site, issuer) => adapters[name].access(site, issuer),
  }
}

/**
 * Nothing was sent, so no other request would be answered. A host that was silent is asked once more, because some
 * servers hold every GET open.
 */
const isUnreached = ({ cause }: CodedError): boolean => cause instanceof SafeFetchError && !cause.maybeSent

const neither = (first: CodedError, second: CodedError): CodedError =>
  new CodedError('MANIFEST_NOT_FOUND', {
    message: `${first.message} ${second.message}`,
    privateDetail: second.privateDetail ?? '',
  })
