import { first, instead, without, type Planted } from './pick.ts'

/** Faults of the ledger, and of payments. */
export const plantedInMoney: Planted[] = [
  {
    what: 'an entry of the ledger is missing',
    under: 'ledger wrong',
    plant: ({ entries }) => ({ entries: without(entries, first(entries, 'entry')) }),
  },
  {
    what: 'a step is charged twice',
    under: 'ledger wrong',
    plant({ entries, accounts }) {
      const entry = first(
        entries.filter(({ kind }) => kind === 'step'),
        'step',
      )
      const account = first(
        accounts.filter(({ ownerId }) => ownerId === entry.ownerId),
        'account',
      )
      const poorer = { ...account, balance: account.balance + entry.credits }
      return { entries: [...entries, { ...entry, id: 'another' }], accounts: instead(accounts, account, poorer) }
    },
  },
  {
    what: 'credits are held for a run that has ended',
    under: 'ledger wrong',
    plant: ({ holds, runs }) => ({ holds: [...holds, first(runs, 'run').id] }),
  },
  {
    what: 'a purchase that was answered is not recorded',
    under: 'lost',
    plant({ accepted, payments }) {
      const { id } = first(accepted, 'purchase', ({ what }) => what === 'purchase')
      return { payments: payments.filter((payment) => payment.id !== id) }
    },
  },
  {
    what: 'a purchase has granted nothing',
    under: 'ledger wrong',
    plant({ entries }) {
      const entry = first(entries, 'purchase', ({ kind }) => kind === 'purchase')
      return { entries: instead(entries, entry, { ...entry, kind: 'grant', paymentId: null }) }
    },
  },
  {
    what: 'a purchase has granted twice',
    under: 'ledger wrong',
    plant({ entries, accounts }) {
      const entry = first(entries, 'purchase', ({ kind }) => kind === 'purchase')
      const account = first(accounts, 'account', ({ ownerId }) => ownerId === entry.ownerId)
      const richer = { ...account, balance: account.balance + entry.credits }
      return { entries: [...entries, { ...entry, id: 'another' }], accounts: instead(accounts, account, richer) }
    },
  },
  {
    what: 'the payment provider has charged what is no payment',
    under: 'ledger wrong',
    plant: ({ charges }) => ({
      charges: [...charges, { ...first(charges, 'charge'), key: null, reference: 'unknown' }],
    }),
  },
  {
    what: 'the payment provider has not charged a payment',
    under: 'ledger wrong',
    plant: ({ charges }) => ({ charges: without(charges, first(charges, 'charge')) }),
  },
]
