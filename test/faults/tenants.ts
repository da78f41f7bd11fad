import { createApprovals } from '../../src/approvals/approvals.ts'
import { createAudit } from '../../src/audit/audit.ts'
import { page } from '../../src/database/paging.ts'
import { assertThat } from '../../src/errors.ts'
import { ownerNamed, belongsTo } from '../../src/owners/reach.ts'
import { createReading } from '../../src/runs/reading/read-runs.ts'
import { createRunLedger } from '../../src/runs/step/call-ledger.ts'
import { createSessions } from '../../src/sessions/sessions.ts'
import { createIdentities } from '../../src/sign-in/identities.ts'
import { createApiKeys } from '../../src/users/api-keys.ts'
import { createConnections } from '../../src/vault/connections.ts'
import { createEntries } from '../../src/vault/entries.ts'
import { calling, instead, unchained, without } from './edits.ts'
import { within, type Fault } from './fault.ts'

const lists = 'test/api/lists.test.ts'
const lateCalls = 'test/src/runs/late-calls.test.ts'

/** What belongs to one owner is shown to another, or used for another. */
export const tenants: Fault[] = [
  {
    id: 'tenants/runs-listed',
    ...within(createReading, 'list'),
    edit: without('Property[key.name="of"]'),
    why: 'the list of runs shows those of everybody',
    tests: [lists],
  },
  {
    id: 'tenants/run-read',
    ...within(createReading, 'get'),
    edit: without('LogicalExpression > CallExpression'),
    why: 'anybody who knows its id reads the run of another owner',
    tests: ['test/api/authorization.test.ts'],
  },
  {
    id: 'tenants/entries-listed',
    ...within(createEntries, 'list'),
    edit: instead('VaultEntry.query(database)', '[callee.property.name="select"] > MemberExpression > CallExpression'),
    why: 'the vault shows the entries of everybody',
    tests: [lists],
  },
  {
    id: 'tenants/keys-listed',
    in: createApiKeys,
    edit: unchained('where', '[arguments.0.type="ConditionalExpression"]'),
    why: 'the API keys of everybody are listed',
    tests: [lists],
  },
  {
    id: 'tenants/audit-log-listed',
    ...within(createAudit, 'list'),
    edit: without('ObjectExpression > Property[key.name="ownerId"]'),
    why: 'everybody reads what all others did',
    tests: ['test/api/audit.test.ts'],
  },
  {
    id: 'tenants/later-pages',
    in: page,
    edit: instead(
      'orWhere',
      'CallExpression[arguments.2.callee.name="readCursor"] > MemberExpression > [name="where"]',
    ),
    why: 'the second page of a list shows what belongs to others',
    tests: [lists],
  },
  {
    id: 'tenants/workspace-named',
    in: ownerNamed,
    edit: without(calling(assertThat)),
    why: 'anybody acts in a workspace whose id they know',
    tests: ['test/api/permissions.test.ts'],
  },
  {
    id: 'tenants/approval-decided',
    in: createApprovals,
    edit: without(`LogicalExpression > ${calling(belongsTo)}`),
    why: 'anybody who knows the id reads and decides the approvals of another owner',
    tests: ['test/src/approvals/approvals.test.ts'],
  },
  {
    id: 'tenants/session-ended',
    in: createSessions,
    edit: unchained('whereIn', '[arguments.0.value="ownerId"]'),
    why: 'anybody ends the sessions of others',
    tests: ['test/src/sessions/sessions.test.ts'],
  },
  {
    id: 'tenants/credential-used',
    in: createConnections,
    edit: without('[callee.property.name="findOne"] Property[key.name="ownerId"]'),
    why: 'a call is sent with the credential of another owner',
    tests: [lateCalls],
  },
  {
    id: 'tenants/call-of-another-run',
    in: createRunLedger,
    edit: without('[callee.property.name="findOne"] Property[key.name="subjectId"]'),
    why: 'a call is sent for another run',
    tests: [lateCalls],
  },
  {
    id: 'tenants/signed-in-as-another',
    in: createIdentities,
    edit: without('[callee.property.name="findOne"] Property[key.name="workspaceProviderId"]'),
    why: 'the provider of a workspace signs in as anybody whose issuer and subject it names',
    tests: ['test/sign-in/workspace.test.ts'],
  },
]
