import type { ExceptionFilter } from '@nestjs/common';
import { Catch } from '@nestjs/common';
import { throwError, type Observable } from 'rxjs';

/**
 * Passes a consumer's error to the transport unchanged. Nest would replace every error with the same one, so that poison and outages could
 * not be distinguished.
 */
@Catch()
export class RethrowFilter implements ExceptionFilter {
  catch(error: unknown): Observable<never> {
    return throwError(() => error);
  }
}
