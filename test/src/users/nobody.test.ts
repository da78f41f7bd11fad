import test from 'ava'
import { createPasswords } from '../../../src/users/passwords.ts'
import { cheapCost } from '../../helpers/passwords.ts'

test('the password that belongs to the hash of nobody lets nobody in', async (t) => {
  const passwords = createPasswords(cheapCost)
  t.true(await passwords.verify(cheapCost.dummyHash, 'nobody’s password'))
  t.false(await passwords.verify(undefined, 'nobody’s password'))
})
