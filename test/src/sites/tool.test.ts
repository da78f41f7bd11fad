import test from 'ava'
import { describeTool, inferScope, type Scope } from '../../../src/sites/tool.ts'

const scopes: Record<Scope, string> = {
  read: 'search search_contacts get_issue issues.listIssues users.getUser get_settings settings.readAll',
  delete: 'delete_issue remove_label issues.deleteIssue files.remove delete_search_index',
  admin:
    'admin admin_list_users create_user users.deleteUser invite_member settings.update assign_role delete_permission',
  write: 'create_issue message_user getaway_book undelete_file administer_medicine issues.readdress searching.addEntry',
}
test('the name of a tool says which scope it needs', (t) => {
  for (const [scope, names] of Object.entries(scopes))
    for (const name of names.split(' ')) t.is(inferScope(name), scope as Scope, name)
})

const declared = { name: 'delete_issue', description: 'Deletes.', input_schema: { type: 'object' } }

test('what a tool declares counts more than its name', (t) => {
  t.deepEqual(describeTool({ ...declared, scope: 'write', effect: 'idempotent' }), {
    name: 'delete_issue',
    description: 'Deletes.',
    inputSchema: { type: 'object' },
    scope: 'write',
    effect: 'idempotent',
  })
})

test('no name makes a tool repeatable', (t) => {
  for (const name of ['get_issue', 'search', 'issues.listIssues', 'delete_issue']) {
    t.is(describeTool({ ...declared, name }).effect, 'once')
  }
})
