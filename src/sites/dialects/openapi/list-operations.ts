import { assertThat, CodedError } from '../../../errors.ts'
import type * as inThread from '../../../in-thread.ts'
import { siteUrlProblem } from '../../../safe-fetch/site-url.ts'
import { orElse, type Threads } from '../../../threads/threads.ts'
import { invalidManifest, tooComplex } from '../../invalid-manifest.ts'
import { namedLeftOut } from '../../left-out.ts'
import type { Manifest } from '../../manifest.ts'
import type { Adapter, KnownSite } from '../dialect.ts'
import { createFetchDocument, type DocumentReader } from './fetch-document.ts'
import { maxDocuments } from './document/documents.ts'
import type { DocumentFound, DocumentToRead } from './operation.ts'

/**
 * Makes the function that lists the operations of an OpenAPI document: all of them as an offer, and the chosen ones as
 * tools. Throws INVALID_URL, MANIFEST_NOT_FOUND and MANIFEST_INVALID.
 */
export function createListOperations(
  context: Parameters<typeof createFetchDocument>[0] & { threads: Pick<Threads<typeof inThread>, 'run'> },
): Adapter['list'] {
  const { threads } = context
  const open = createFetchDocument(context)

  /** Reads the document again with each round of documents that it was found to refer to. */
  async function readWhole(given: DocumentToRead, reader: DocumentReader, party: string): Promise<DocumentFound> {
    const referenced: Record<string, Uint8Array> = {}
    for (;;) {
      const read = await threads
        .run(party, 'readDocument', { ...given, referenced })
        .catch(orElse({ problems: [tooComplex] }))
      if ('isNone' in read) throw new CodedError('MANIFEST_NOT_FOUND', { message: noDocument })
      if ('problems' in read) throw invalidManifest(read.problems)
      if ('manifest' in read) return read
      const missing = read.missing.filter((address) => !(address in referenced))
      const isTooMuch = missing.length === 0 || missing.length + Object.keys(referenced).length > maxDocuments
      if (isTooMuch) throw invalidManifest([{ path: '', message: tooManyReferences }])
      for (const address of missing) referenced[address] = await reader.referenced(address)
    }
  }

  return async (given, party, known) => {
    const { address, server } = partsOf(given)
    const reader = open(address)
    // As the URL standard writes it: one document is one site, however its address is typed.
    const documentAddress = reader.base ?? address
    const document = { address: reader.base, bytes: await reader.document(), server, ...wanted(known) }
    const read = await readWhole({ ...document, referenced: {} }, reader, party)
    const manifest = JSON.parse(read.manifest) as Manifest
    return {
      origin: keyOf(documentAddress, manifest.server.url),
      manifest: withLeftOut(manifest, read, known),
      offered: read.offered,
      alternatives: read.servers.map((url) => keyOf(documentAddress, url)),
    }
  }
}

const keyOf = (address: string, server: string): string => `${address}#${server}`

/** The document's address, and the server that a key names. */
function partsOf(given: string): { address: string; server?: string } {
  const at = given.indexOf('#')
  if (at === -1) return { address: given }
  const server = given.slice(at + 1)
  const problem = siteUrlProblem(server)
  assertThat(problem === undefined, 'INVALID_URL', { message: `${noServer} ${problem ?? ''}` })
  return { address: given.slice(0, at), server }
}

/** Before a choice, people want to know what cannot be chosen. After it, only what of it cannot be used. */
const withLeftOut = (manifest: Manifest, { leftOut }: DocumentFound, { chosen = [] }: KnownSite): Manifest =>
  chosen.length > 0 || leftOut.length === 0 ? manifest : { ...manifest, left_out: namedLeftOut(leftOut) }

const wanted = ({ chosen = [], token = '', wantsSignIn, server, shown }: KnownSite) => ({
  chosen,
  pinned: server,
  hasCredential: token !== '',
  wantsSignIn,
  shown,
})

const noServer = 'The part after the # is not the address of a server.'
const noDocument = 'There is no OpenAPI document at the address.'
const tooManyReferences = `refers to more than ${maxDocuments} other documents`
