export interface RegisterForm {
  username: string;
  password: string;
  password2: string;
  email: string;
  code: string;
}
export type RegisterErrors = Partial<Record<keyof RegisterForm, string>>;

const MIN_PASSWORD = 8;

/** Keys of the texts beside the fields, in the order of the page: length before equality. */
export function registerErrors(form: RegisterForm, byEmail: boolean): RegisterErrors {
  const short = form.password.length < MIN_PASSWORD;
  return {
    ...(form.username.trim() === '' && { username: 'error.username' }),
    ...(short && { password: 'error.password' }),
    ...(!short && form.password !== form.password2 && { password2: 'error.confirm' }),
    ...(byEmail && form.email.trim() === '' && { email: 'error.email' }),
    ...(byEmail && form.code.trim() === '' && { code: 'error.code' }),
  };
}
