import * as v from 'valibot'
import { fieldsOf } from '../../src/database/row.ts'
import { onDisconnects, type Session } from '../../src/sessions/session.ts'
import type { Services } from '../../src/services.ts'
import { field, named } from './documented.ts'
import { exampleIds, idOf } from './example-ids.ts'
import { list } from './list.ts'
import { createdAt, name, ownerId, text, time } from './schemas.ts'
import { scope } from './vault-schema.ts'

const meanings = {
  vaultEntryId: ['Vault entry of the site', exampleIds.entry],
  title: ['Display name', "This week's bugs"],
  model: ['Name of the AI model, as listed by `GET /models`. Null means the default model.', null],
  fallbackModel: ['AI model that continues an answer if `model` fails. Null if there is none.', null],
  summarizes: [
    'Whether a chat that outgrows its context window summarizes its first messages. The summary is a billed step.',
    false,
  ],
  sites: [
    'Sites that the session can use',
    [
      {
        vaultEntryId: exampleIds.entry,
        tools: ['search_issues', 'delete_issue'],
        askFirst: ['delete_issue'],
      },
    ],
  ],
  askFirst: [
    'Tools whose calls need approval. Default: `once` tools with the `delete` or `admin` scope.',
    ['delete_issue'],
  ],
} as const satisfies Record<string, readonly [string, ...unknown[]]>

const onDisconnect = named(
  'OnDisconnect',
  v.picklist(onDisconnects, `must be one of ${onDisconnects.join(', ')}`),
  'What happens to an answer when the client disconnects. `cancel`: the answer stops and its text is discarded. `continue`: the answer is completed and can be read later.',
  'cancel',
)

const toolNames = list(text(64), 200, 'must contain at most 200 tools')
const siteRequest = named(
  'SessionSiteRequest',
  v.strictObject({
    vaultEntryId: field(text(64), ...meanings.vaultEntryId),
    tools: v.optional(
      field(toolNames, 'Tools that the session can use at this site. Default: all of them.', ['search_issues']),
    ),
    askFirst: v.optional(field(toolNames, ...meanings.askFirst)),
  }),
  'Site that a session can use',
)

/** The fields of a session that its owner can set. */
export const sessionFields = {
  sites: v.optional(field(list(siteRequest, 50, 'must list at most 50 sites'), ...meanings.sites), []),
  title: v.optional(field(v.nullable(name(200, ...meanings.title)), ...meanings.title), null),
  model: v.optional(field(v.nullable(text(100)), ...meanings.model), null),
  fallbackModel: v.optional(field(v.nullable(text(100)), ...meanings.fallbackModel), null),
  summarizes: v.optional(field(v.boolean('must be true or false'), ...meanings.summarizes), false),
  ttlSeconds: v.optional(
    v.pipe(
      v.number('must be a number'),
      v.integer('must be a whole number'),
      v.minValue(1, 'must be at least 1'),
      v.metadata({
        description: 'Lifetime of the session, in seconds, if shorter than the default of one day',
        examples: [3600],
      }),
    ),
  ),
  onDisconnect: v.optional(onDisconnect, 'cancel'),
}

const listed = {
  id: idOf('session'),
  ownerId,
  title: field(v.nullable(v.string()), ...meanings.title),
  model: field(v.nullable(v.string()), ...meanings.model),
  fallbackModel: field(v.nullable(v.string()), ...meanings.fallbackModel),
  summarizes: field(v.boolean(), ...meanings.summarizes),
  onDisconnect,
  active: field(v.boolean(), "Whether the session's token is still valid", true),
  createdAt,
  lastUsedAt: field(time, 'Last use, to the minute. A session expires after two hours without use.'),
  expiresAt: field(time, 'Latest time at which the session can expire'),
  endedAt: field(v.nullable(time), 'When the session was ended. Null if it is active or has expired.', null),
}

export const listedSession = named('SessionSummary', v.object(listed), 'Chat session in a list')

const site = named(
  'SessionSite',
  v.object({
    vaultEntryId: field(v.string(), ...meanings.vaultEntryId),
    tools: field(
      v.nullable(v.array(v.string())),
      'Tools that the session can use at this site. Null means all of them.',
      null,
    ),
    askFirst: field(v.nullable(v.array(v.string())), 'Tools whose calls need approval. Null means the default.', null),
  }),
  'Site that a session can use',
)

const whole = {
  ...listed,
  sites: field(v.array(site), ...meanings.sites),
  scopes: field(v.array(scope), 'Scopes of the tools that the session can use', ['read', 'write']),
}

export const session = named('Session', v.object(whole), 'Chat session, including its sites and tools')

export const newSession = named(
  'NewSession',
  v.object({
    ...whole,
    token: field(
      v.string(),
      'Session token, for the `X-Session-Token` header. Shown only once.',
      'sy_session_an-example-of-a-session-token',
    ),
  }),
  'New chat session, including its token',
)

export const presentSession = <S extends Session>({ sessions }: Services, row: S) => ({
  ...fieldsOf(row),
  active: sessions.isActive(row),
  lastUsedAt: row.usedAt,
})

/** A session with its sites and scopes, and with its token if it can be shown. */
export const presentWhole = async (services: Services, row: Session) =>
  presentSession(services, await services.sessions.withSites(row))
