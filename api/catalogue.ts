import * as v from 'valibot'
import { authTypes } from '../src/catalogue/catalogue-format.ts'
import { dialectNames, dialectsInWords } from '../src/sites/dialects/dialect-name.ts'
import { route } from './route/route.ts'
import { field, named } from './schemas/documented.ts'
import { exampleIds } from './schemas/example-ids.ts'
import { ofOwner, pageOf, paging, text } from './schemas/schemas.ts'

const entry = named(
  'CatalogueEntry',
  v.object({
    id: field(v.string(), 'Id of the entry. Templates name sites by it.', 'tracker'),
    name: field(v.string(), 'Name of the site', 'Issue tracker'),
    dialect: named(
      'SiteDialect',
      v.picklist(dialectNames),
      `How the site is spoken to. ${dialectsInWords}`,
      'manifest',
    ),
    address: field(v.string(), 'Address to connect, as the `url` of `POST /vault`', 'https://tracker.example.com'),
    authType: named(
      'CatalogueAuthType',
      v.picklist(authTypes),
      'How users sign in: `none`, with a token (`bearer`) or with OAuth 2.0 (`oauth2`)',
      'bearer',
    ),
    tokenHelp: field(
      v.nullable(v.string()),
      'Where to create a token. Null if the site needs none.',
      'Create a token under Settings, Tokens.',
    ),
    notes: field(v.string(), 'What else the operator says about the site', 'Our own tracker. Ask Dana for an account.'),
    tags: field(v.array(v.string()), 'Words by which to find the site', ['issues']),
    vaultEntryId: field(
      v.nullable(v.string()),
      'Your vault entry for the site. Null if you have not connected it.',
      exampleIds.entry,
    ),
  }),
  'Site that the operator suggests',
)

export const listCatalogue = route({
  tag: 'vault',
  access: 'account',
  name: 'listCatalogue',
  method: 'get',
  path: '/catalogue',
  summary: 'List suggested sites',
  description:
    'Lists the sites that the operator suggests, by id. Nothing is sent to them. An entry is only a suggestion: ' +
    '`POST /vault/inspect` shows what the site offers now, and you connect it like any other. See [Connect a ' +
    'site](/docs/how-to/connect-a-site#the-catalogue).',
  owner: 'query',
  query: v.strictObject({
    search: v.optional(
      field(text(200), 'Words that must all occur in the name, id, address, tags or notes of an entry, in any case'),
    ),
    cursor: paging.cursor,
    limit: paging.limit,
    ...ofOwner,
  }),
  status: 200,
  response: pageOf(entry),
  async handle({ services, ownerId, query }) {
    const { items, nextCursor } = await services.catalogue.list(ownerId, query)
    return { items: items.map(({ tokenHelp = null, ...item }) => ({ ...item, tokenHelp })), nextCursor }
  },
})
