import * as v from 'valibot'
import { appScopes } from '../../src/apps/app-scopes.ts'
import type { ConnectedApp } from '../../src/apps/connected-app.ts'
import { fieldsOf } from '../../src/database/row.ts'
import { field, named } from './documented.ts'
import { idOf } from './example-ids.ts'
import { list } from './list.ts'
import { ownerId, time } from './schemas.ts'

const scope = named(
  'AppScope',
  v.picklist(appScopes, 'must be read, run or decide'),
  'read: sees tools, agents and runs · run: calls tools and starts runs · decide: shows you approvals as forms and passes on your decisions',
)
const nameMeaning = "The app's own name for itself. Anyone can choose any name."
const redirectMeaning = 'Host that the browser returns to, or the scheme of an app on the device'

export const app = named(
  'ConnectedApp',
  v.object({
    id: idOf('app'),
    ownerId,
    name: field(v.string(), nameMeaning, 'MCP Inspector'),
    redirectHost: field(v.string(), redirectMeaning, 'localhost:6274'),
    scopes: field(v.array(scope), 'What the app may do', ['read', 'run']),
    createdAt: time,
    expiresAt: field(time, 'When the app is disconnected unless it is used before'),
    lastUsedAt: field(v.nullable(time), 'When the app was last used', null),
  }),
  'MCP client that you let act for you',
)

export const presentApp = (row: ConnectedApp) => ({ ...fieldsOf(row), ownerId: row.workspaceId ?? row.userId })

export const appRequest = named(
  'AppRequest',
  v.object({
    id: field(v.string(), 'Id of the request', 'n0ThsWDkMTxJVdvkO1tVX'),
    name: field(v.nullable(v.string()), nameMeaning, 'MCP Inspector'),
    clientHost: field(
      v.nullable(v.string()),
      "Host that publishes the app's metadata. Null if the app registered itself.",
      null,
    ),
    redirectHost: field(v.string(), redirectMeaning, 'localhost:6274'),
    scopes: field(v.array(scope), 'What the app asks for', ['read', 'run']),
    expiresAt: field(time, 'When the request expires'),
  }),
  "App's request for access, which waits for your decision",
)

export const grantedScopes = v.pipe(
  list(scope, 3, 'must contain each scope only once'),
  v.minLength(1, 'must contain at least one scope'),
  v.metadata({ description: 'Which of the requested scopes you grant' }),
)

const locationMeaning =
  "Address to open in the browser, which returns to the app. It works once, in the request's browser."
export const location = field(
  v.string(),
  locationMeaning,
  'https://switchyard.example.com/mcp/authorize/n0ThsWDkMTxJVdvkO1tVX',
)
