import type { Clock } from '../clock.ts'
import type { Database } from '../database/database.ts'
import { Row } from '../database/row.ts'
import { assertThat } from '../errors.ts'
import { isId, newId } from '../ids.ts'
import type * as inThread from '../in-thread.ts'
import { assertMember } from '../owners/assert-member.ts'
import { listOf, type Owners } from '../owners/reach.ts'
import { invalidManifest, tooComplex } from '../sites/invalid-manifest.ts'
import { orElse, type Threads } from '../threads/threads.ts'
import { lockOwner } from '../users/user.ts'

/** Documents of one owner, and the size of each. A larger one is published and read by its address. */
export const mostDocuments = 20
export const maxDocumentBytes = 2 * 1024 * 1024

/** A description of an API that an owner uploaded, because it has no address (table `documents`). */
export class Document extends Row {
  static override tableName = 'documents'
  declare id: string
  declare ownerId: string
  declare createdAt: Date
  declare bytes: number
  declare name: string
  declare text: string
}

const scheme = 'document:'

/** The address that sites of the document have. Who knows it may read the document, as with every address. */
export const addressOf = ({ id }: Pick<Document, 'id'>): string => `${scheme}${id}`

const none = { path: '', message: 'describes no API' }
const unknown = { message: 'There is no document with this id.' }

/** Uploaded documents. Each has an address that a site is connected by. It never changes, so sites keep what they read. */
export function createDocuments(context: {
  database: Database
  clock: Clock
  threads: Pick<Threads<typeof inThread>, 'run'>
}) {
  const { database, clock, threads } = context
  const of = (owners: Owners) => Document.query(database).whereIn('ownerId', listOf(owners))

  /** MANIFEST_INVALID for a text that no API could be connected with. Documents that it refers to are not looked at. */
  async function assertUsable(bytes: Uint8Array, party: string): Promise<void> {
    const read = await threads
      .run(party, 'readDocument', { bytes, referenced: {}, chosen: [] })
      .catch(orElse({ problems: [tooComplex] }))
    if ('isNone' in read) throw invalidManifest([none])
    if ('problems' in read) throw invalidManifest(read.problems)
  }

  return {
    /** FEATURE_LIMIT_REACHED beyond 20 documents, MANIFEST_INVALID for an unusable one. */
    async add(ownerId: string, by: string, { name, text }: Pick<Document, 'name' | 'text'>): Promise<Document> {
      const bytes = Buffer.from(text)
      await assertUsable(bytes, ownerId)
      const size = bytes.length
      const row = Document.fromJson({ id: newId(), ownerId, createdAt: clock.now(), bytes: size, name, text })
      await database.transaction(async (trx) => {
        await lockOwner(trx, ownerId)
        await assertMember(trx, ownerId, by, 'build')
        const count = await Document.query(trx).where({ ownerId }).resultSize()
        const message = `There are already ${count} documents, and the limit is ${mostDocuments}. Delete one.`
        assertThat(count < mostDocuments, 'FEATURE_LIMIT_REACHED', { message })
        await Document.query(trx).insert(row)
      })
      return row
    },

    /** Newest first, without their texts. */
    list: async (ownerId: string): Promise<Document[]> =>
      Document.query(database)
        .where({ ownerId })
        .select('id', 'ownerId', 'createdAt', 'bytes', 'name')
        .orderBy('id', 'desc'),

    async get(owners: Owners, id: string): Promise<Document> {
      const document = isId(id) ? await of(owners).findById(id) : undefined
      assertThat(document, 'NOT_FOUND', unknown)
      return document
    },

    async remove({ id, ownerId }: Document): Promise<void> {
      const deleted = await Document.query(database).where({ id, ownerId }).delete()
      assertThat(deleted === 1, 'NOT_FOUND', unknown)
    },

    /** The text of the document at an address; undefined if there is none. */
    async read(address: string): Promise<string | undefined> {
      const id = address.slice(scheme.length)
      const document = isId(id) ? await Document.query(database).findById(id).select('text') : undefined
      return document?.text
    },
  }
}

export type Documents = ReturnType<typeof createDocuments>
