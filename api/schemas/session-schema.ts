import * as v from 'valibot'
import { fieldsOf } from '../../src/database/row.ts'
import { onDisconnects, type Session } from '../../src/sessions/session.ts'
import type { Services } from '../../src/services.ts'
import { field, named } from './documented.ts'
import { list } from './list.ts'
import { id, name, ownerId, text, time } from './schemas.ts'
import { scope } from './vault-schema.ts'

const meanings = {
  vaultEntryId: ['The vault entry of the site', '0198a3c2-7d1e-7f60-9b1a-2f6f0c3f5a13'],
  title: ['What people call it', 'Bugs of this week'],
  model: ['The AI model that is asked, by its name in `GET /models`; null for the default one', null],
  sites: [
    'The sites that its messages may use',
    [
      {
        vaultEntryId: '0198a3c2-7d1e-7f60-9b1a-2f6f0c3f5a13',
        tools: ['search_issues', 'delete_issue'],
        askFirst: ['delete_issue'],
      },
    ],
  ],
  askFirst: [
    'The tools whose calls need your approval. Where it is absent, those that act once and delete or administer things',
    ['delete_issue'],
  ],
} as const satisfies Record<string, readonly [string, ...unknown[]]>

const onDisconnect = named(
  'OnDisconnect',
  v.picklist(onDisconnects, `must be one of ${onDisconnects.join(', ')}`),
  'What becomes of an answer whose reader is gone. cancel: it is given up, and nothing of it is kept · continue: it goes on, and can be read again',
  'cancel',
)

const toolNames = list(text(64), 200, 'must contain at most 200 tools')
const siteRequest = named(
  'SessionSiteRequest',
  v.strictObject({
    vaultEntryId: field(text(64), ...meanings.vaultEntryId),
    tools: v.optional(field(toolNames, 'The tools that it may use there; by default all', ['search_issues'])),
    askFirst: v.optional(field(toolNames, ...meanings.askFirst)),
  }),
  'A site that a session may use',
)

/** What an owner chooses for a session. */
export const sessionFields = {
  sites: v.optional(field(list(siteRequest, 50, 'must name at most 50 sites'), ...meanings.sites), []),
  title: v.optional(field(v.nullable(name(200, ...meanings.title)), ...meanings.title), null),
  model: v.optional(field(v.nullable(text(100)), ...meanings.model), null),
  ttlSeconds: v.optional(
    v.pipe(
      v.number('must be a number'),
      v.integer('must be a whole number'),
      v.minValue(1, 'must be at least 1'),
      v.metadata({ description: 'Shortens the life of the session, which is a day', examples: [3600] }),
    ),
  ),
  onDisconnect: v.optional(onDisconnect, 'cancel'),
}

const listed = {
  id,
  ownerId,
  title: field(v.nullable(v.string()), ...meanings.title),
  model: field(v.nullable(v.string()), ...meanings.model),
  onDisconnect,
  active: field(v.boolean(), 'Whether its token may be used still', true),
  createdAt: time,
  lastUsedAt: field(time, 'When it was last used, to the minute; unused for two hours, it expires'),
  expiresAt: field(time, 'When its lifetime is over'),
  endedAt: field(v.nullable(time), 'When it was ended; null also for one that has expired', null),
}

export const listedSession = named('SessionSummary', v.object(listed), 'A chat session in a list')

const site = named(
  'SessionSite',
  v.object({
    vaultEntryId: field(id, ...meanings.vaultEntryId),
    tools: field(v.nullable(v.array(v.string())), 'The tools that it may use there; null for all', null),
    askFirst: field(
      v.nullable(v.array(v.string())),
      'The tools whose calls need your approval; null for those that the platform names',
      null,
    ),
  }),
  'A site that a session may use',
)

const whole = {
  ...listed,
  sites: field(v.array(site), ...meanings.sites),
  scopes: field(v.array(scope), 'What the tools that it may use now need', ['read', 'write']),
}

export const session = named(
  'Session',
  v.object(whole),
  'A chat session: the sites and tools that its messages may use',
)

export const newSession = named(
  'NewSession',
  v.object({
    ...whole,
    token: field(
      v.string(),
      'Send it as `X-Session-Token`; it is not shown again',
      'sy_session_an-example-of-a-session-token',
    ),
  }),
  'A new session',
)

/** A session as lists show it. */
export const presentSession = <S extends Session>({ sessions }: Services, row: S) => ({
  ...fieldsOf(row),
  active: sessions.isActive(row),
  lastUsedAt: row.usedAt,
})

/** A session with its sites and scopes; with its token if it has one to show. */
export const presentWhole = async (services: Services, row: Session) =>
  presentSession(services, await services.sessions.withSites(row))
