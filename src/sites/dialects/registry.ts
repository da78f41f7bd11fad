import type { DialectName } from './dialect-name.ts'
import type { Adapter, Dialect, KnownSite, ListedSite } from './dialect.ts'
import { createFindSite } from './find-site.ts'
import { createManifestDialect } from './manifest/manifest-dialect.ts'
import { createMcpDialect } from './mcp/mcp-dialect.ts'
import { isUploaded } from './openapi/fetch-document.ts'
import { createOpenApiDialect } from './openapi/openapi-dialect.ts'

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

  /** Only the address of a document has a fragment, or is that of an uploaded one. */
  function possible(address: string): DialectName[] {
    const names = Object.keys(adapters) as DialectName[]
    const isDocument = address.includes('#') || isUploaded(address)
    return isDocument ? names.filter((name) => adapters[name].offersChoice) : names
  }

  const find = createFindSite({ adapters, possible, ask })

  return {
    list(given, party, known = {}) {
      // An empty fragment makes no other address.
      const address = given.replace(/#$/, '')
      return known.dialect ? ask(known.dialect, address, party, known) : find(address, party, known)
    },
    isPersonal: (name) => adapters[name].isPersonal,
    offersChoice: (name) => adapters[name].offersChoice,
    takesAnyToken: (name, auth) => adapters[name].takesAnyToken?.(auth) ?? false,
    call: (call) => adapters[call.dialect].call(call),
    abandon: async (call) => adapters[call.dialect].abandon?.(call),
    access: (name, site, issuer) => adapters[name].access(site, issuer),
  }
}
