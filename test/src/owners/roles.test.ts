import test from 'ava'
import { actions, can, roles, rolesFor, type Action, type Role } from '../../../src/owners/roles.ts'

/** The roles that permit each action, the highest first. */
const permitted: Record<Action, Role[]> = {
  see: ['owner', 'admin', 'member', 'viewer'],
  use: ['owner', 'admin', 'member'],
  build: ['owner', 'admin', 'member'],
  administer: ['owner', 'admin'],
  own: ['owner'],
}

test('each action is permitted to its roles and to no other', (t) => {
  t.deepEqual([...actions], Object.keys(permitted))
  for (const action of actions) {
    t.deepEqual(rolesFor(action), permitted[action], action)
    for (const role of roles) t.is(can(role, action), permitted[action].includes(role), `${role}: ${action}`)
  }
})
