import { useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi, useRouter } from '@tanstack/react-router'
import { Narrow } from '../../parts/Narrow.tsx'
import { accountQuery, needsTerms } from '../../session/account.ts'
import { AcceptTerms } from './AcceptTerms.tsx'
import { addressInside } from './address-inside.ts'
import { SignedInAs } from './SignedInAs.tsx'

const route = getRouteApi('/terms')

/** Before anything else, a person who signs in accepts the current terms, and then sees the page they asked for. */
export const Page = () => {
  const { from } = route.useSearch()
  const router = useRouter()
  const account = useSuspenseQuery(accountQuery).data
  const goOn = () => router.history.replace(addressInside(from))
  if (account === null) return null
  if (!needsTerms(account))
    return (
      <Narrow key="accepted" title="You have accepted the terms">
        <SignedInAs account={account} onContinue={goOn} />
      </Narrow>
    )
  return (
    <Narrow title="Accept the terms">
      <AcceptTerms account={account} onDone={goOn} />
      <SignedInAs account={account} />
    </Narrow>
  )
}
