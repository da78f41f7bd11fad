import { getRouteApi, Link, useRouter } from '@tanstack/react-router'
import { to } from '../../addresses.ts'
import { Narrow } from '../../parts/Narrow.tsx'
import { addressInside } from './address-inside.ts'
import { RegisterForm } from './RegisterForm.tsx'

const route = getRouteApi('/register')

export const Page = () => {
  const { from } = route.useSearch()
  const router = useRouter()
  return (
    <Narrow title="Create an account">
      <RegisterForm onDone={() => router.history.replace(addressInside(from))} />
      <p>
        You have one already? <Link {...to.signIn(from)}>Sign in</Link>
      </p>
    </Narrow>
  )
}
