import test from 'ava'
import { can as consoleCan } from '../../console/session/can.ts'
import { actions, can, roles } from '../../src/owners/roles.ts'

test('the console shows a role exactly the actions that the API permits', (t) => {
  for (const role of roles)
    for (const action of actions) t.is(consoleCan(role, action), can(role, action), `${role}: ${action}`)
})
