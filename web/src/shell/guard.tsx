import { skipToken } from '@reduxjs/toolkit/query/react';
import { isRoot } from '@tollgate/contracts/roles';
import type { ReactNode } from 'react';
import { Fragment, useEffect, useState } from 'react';
import { Navigate, matchPath, useLocation, useNavigate } from 'react-router-dom';
import { useGetSelfQuery } from '../api/self.api.js';
import { ForbiddenState } from '../components/feedback/states.js';
import type { PageRow } from '../app/page-list.js';
import type { ReturnState } from '../app/return-state.js';
import { expiryHandled, selectExpired, selectRole, selectUser } from '../app/slices/session.js';
import { selectStatus, selectStatusFailed, selectStatusKnown } from '../app/slices/status.js';
import { useAppDispatch, useAppSelector } from '../app/store.js';

/** The page on which a user sets up a required second factor; the server refuses everything else before. */
const ENROLMENT_PAGE = 'personal';

/** Pages on which an expired session causes no redirect, because the user is about to sign in; nor are they an address to return to. */
const entrances = ['/login', '/register'];

/** After the session has expired, redirects once to the login page, with the current address to return to. */
export function useExpiredSession(): void {
  const expired = useAppSelector(selectExpired);
  const dispatch = useAppDispatch();
  const navigate = useNavigate();
  const { pathname, search } = useLocation();
  useEffect(() => {
    if (!expired) return;
    dispatch(expiryHandled());
    if (entrances.includes(pathname)) return;
    void navigate('/login?expired=true', { replace: true, state: { from: pathname + search } satisfies ReturnState });
  }, [expired, dispatch, navigate, pathname, search]);
}

/** Before the set-up every page is redirected to the wizard, afterwards the wizard to the home page; `undefined`: no redirect. */
function useSetupDetour(pathname: string): string | undefined {
  const { setup } = useAppSelector(selectStatus);
  const known = useAppSelector(selectStatusKnown);
  if (!known) return undefined;
  if (setup === false && pathname !== '/setup') return '/setup';
  return setup === true && pathname === '/setup' ? '/' : undefined;
}

/** Without a cached status it is unknown whether the wizard is needed. */
function useUndecided(): boolean {
  const { setup } = useAppSelector(selectStatus);
  const known = useAppSelector(selectStatusKnown);
  const unreachable = useAppSelector(selectStatusFailed);
  return !known && setup === undefined && !unreachable;
}

/** What a user whose role is too low for a page sees. */
function Unseen({ row: { own, minRole } }: { row: PageRow }) {
  const { pathname } = useLocation();
  if (own && matchPath(own, pathname)) return <Navigate to="/personal" replace />;
  return <ForbiddenState who={isRoot(minRole) ? 'root' : 'admin'} />;
}

function RoleGuard({ row, children }: { row: PageRow; children: ReactNode }) {
  const user = useAppSelector(selectUser);
  const role = useAppSelector(selectRole);
  const expired = useAppSelector(selectExpired);
  const mustEnrol = useGetSelfQuery(user ? undefined : skipToken).data?.must_set_two_factor === true;
  const { pathname, search } = useLocation();
  const [cameSignedIn] = useState(user !== null);
  // The code that ends a session on an open page also navigates. This page adds no redirect, so that the next user does not return here.
  if (expired || (!user && cameSignedIn)) return null;
  if (!user) return <Navigate to="/login" replace state={{ from: pathname + search } satisfies ReturnState} />;
  if (mustEnrol && row.id !== ENROLMENT_PAGE) return <Navigate to={`/${ENROLMENT_PAGE}`} replace />;
  if (role < row.minRole) return <Unseen row={row} />;
  // When another user signs in from another tab, the page is mounted anew.
  return <Fragment key={user.id}>{children}</Fragment>;
}

export function Guard({ row, children }: { row: PageRow; children: ReactNode }) {
  const detour = useSetupDetour(useLocation().pathname);
  if (useUndecided()) return null;
  if (detour) return <Navigate to={detour} replace />;
  return row.minRole === 0 ? children : <RoleGuard row={row}>{children}</RoleGuard>;
}
