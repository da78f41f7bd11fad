import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useRouter } from '@tanstack/react-router'
import { api } from '../../api/client.ts'
import { Narrow } from '../../parts/Narrow.tsx'
import { SignInForm } from '../../parts/SignInForm.tsx'
import { addressInside } from './address-inside.ts'
import styles from './Account.module.css'

const route = getRouteApi('/sign-in')

/** Sign in with a password or a provider, and return to the page that asked for it. */
export const Page = () => {
  const { from } = route.useSearch()
  const router = useRouter()
  const back = addressInside(from)
  const { data: providers } = useQuery(api.queryOptions('get', '/auth/providers'))
  return (
    <Narrow title="Sign in to Switchyard">
      <SignInForm onDone={() => router.history.push(back)} />
      <ul className={styles.providers}>
        {providers?.items.map(({ provider, title, startUrl }) => (
          <li key={provider}>
            <a href={`${startUrl}?returnTo=${encodeURIComponent(back)}`}>Continue with {title}</a>
          </li>
        ))}
      </ul>
      <p>
        <Link to="/forgot">Forgot your password?</Link>
      </p>
    </Narrow>
  )
}
