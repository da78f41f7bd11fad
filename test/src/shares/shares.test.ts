import test from 'ava'
import { createShares } from '../../../src/shares/shares.ts'

/** Takes places in turns for as long as anyone may, and returns how many each party holds. */
function fillUp(places: number, parties: string[]) {
  const shares = createShares(places)
  let taken = true
  while (taken) taken = parties.map((party) => shares.take(party)).includes(true)
  return { shares, held: parties.map((party) => shares.holds(party)) }
}

test('a party that is alone gets half of the places', (t) => {
  t.deepEqual(fillUp(200, ['one']).held, [100])
  t.deepEqual(fillUp(1, ['one']).held, [1])
})

test('busy parties hold the same number of places, within one, and leave some for a newcomer', (t) => {
  for (const count of [2, 7, 40, 150]) {
    const parties = Array.from({ length: count }, (_, index) => `party ${index}`)
    const { shares, held } = fillUp(200, parties)
    t.true(Math.max(...held) - Math.min(...held) <= 1, `${count} parties hold ${held.join(', ')}`)
    t.true(Math.max(...held) <= Math.ceil(200 / (count + 1)), `${count} parties hold ${held.join(', ')}`)
    t.true(shares.take('newcomer'), `there is a place beside ${count} parties`)
  }
})

test('a party that came first and took all that it may gets no more while newcomers take theirs', (t) => {
  const shares = createShares(10)
  while (shares.take('first'));
  t.is(shares.holds('first'), 5)
  while (shares.take('second'));
  t.is(shares.holds('second'), 3)
  shares.release('first')
  t.false(shares.mayTake('first'))
})

test('places that were given back can be taken again by anyone', (t) => {
  const shares = createShares(2)
  t.true(shares.take('a'))
  t.false(shares.take('a'))
  t.true(shares.take('b'))
  t.false(shares.take('c'))
  shares.release('b')
  t.is(shares.holds('b'), 0)
  t.true(shares.take('c'))
})
