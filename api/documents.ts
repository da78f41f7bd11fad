import * as v from 'valibot'
import { addressOf, maxDocumentBytes, type Document } from '../src/documents/documents.ts'
import { fieldsOf } from '../src/database/row.ts'
import { documentNamed as resource } from './route/resources.ts'
import { route } from './route/route.ts'
import { field, named, whole } from './schemas/documented.ts'
import { idOf } from './schemas/example-ids.ts'
import { createdAt, inWorkspace, listOf, name, ofOwner, ownerId, text } from './schemas/schemas.ts'

const nameMeaning = 'Name of the document'
const about = {
  id: idOf('document'),
  ownerId,
  name: field(v.string(), nameMeaning, 'Warehouse API'),
  address: field(
    v.string(),
    'Address to inspect and connect, as `url`',
    'document:0198a3c2-7d1e-7f60-9b1a-2f6f0c3f5a26',
  ),
  bytes: field(whole, 'Size of the text in bytes', 20_480),
  createdAt,
}
const document = named('Document', v.object(about), 'Uploaded OpenAPI document')
const textMeaning = 'OpenAPI document (3.0 or 3.1), as JSON or YAML'
const exampleText = 'openapi: 3.1.0'
const content = field(
  v.pipe(
    text(maxDocumentBytes),
    v.check((given) => Buffer.byteLength(given) <= maxDocumentBytes, `must have at most ${maxDocumentBytes} bytes`),
  ),
  textMeaning,
  exampleText,
)

const present = (row: Document) => ({ ...fieldsOf(row), address: addressOf(row) })

const shared = { tag: 'vault', access: 'account' } as const
export const listDocuments = route({
  ...shared,
  name: 'listDocuments',
  method: 'get',
  path: '/documents',
  summary: 'List uploaded documents',
  description: 'Newest first, without their texts. There are 20 at most.',
  owner: 'query',
  query: v.strictObject(ofOwner),
  status: 200,
  response: listOf(document),
  handle: async ({ services, ownerId: owner }) => ({ items: (await services.documents.list(owner)).map(present) }),
})

export const uploadDocument = route({
  ...shared,
  name: 'uploadDocument',
  audit: { subject: 'document' },
  method: 'post',
  path: '/documents',
  summary: 'Upload an OpenAPI document',
  description:
    'For an API whose document has no public address. Connect the API with the `address` of the document. It cannot be changed: upload a new one for a new version. A document without an operation that can be used is refused with the reason. See [Connect a site](/docs/how-to/connect-a-site).',
  owner: 'body',
  body: v.strictObject({ ...inWorkspace, name: name(100, nameMeaning, 'Warehouse API'), text: content }),
  rawBody: {
    maxBytes: () => 2 * maxDocumentBytes,
    advice: 'Publish a larger document, and connect its address.',
    outline: 'outlineOfUpload',
  },
  status: 201,
  response: document,
  codes: ['FEATURE_LIMIT_REACHED', 'MANIFEST_INVALID'],
  handle: async ({ services, caller, ownerId: owner, body }) =>
    present(await services.documents.add(owner, caller.userId, body)),
})

export const getDocument = route({
  ...shared,
  name: 'getDocument',
  method: 'get',
  path: '/documents/{documentId}',
  summary: 'Get an uploaded document',
  description: 'With its text.',
  status: 200,
  response: named(
    'WholeDocument',
    v.object({ ...about, text: field(v.string(), textMeaning, exampleText) }),
    'Uploaded OpenAPI document with its text',
  ),
  resource,
  codes: ['NOT_FOUND'],
  handle: async ({ resource: found }) => present(found),
})

export const deleteDocument = route({
  ...shared,
  name: 'deleteDocument',
  audit: { subject: 'document' },
  method: 'delete',
  path: '/documents/{documentId}',
  summary: 'Delete an uploaded document',
  description: 'Sites that were connected with it keep their tools. Their tools can no longer be chosen or checked.',
  whenClosed: true,
  status: 204,
  resource,
  codes: ['NOT_FOUND'],
  handle: ({ services, resource: found }) => services.documents.remove(found),
})
