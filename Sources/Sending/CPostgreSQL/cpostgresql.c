#include "cpostgresql.h"

#include <dlfcn.h>
#include <stddef.h>

#define FUNCTIONS(X) \
  X(PQconnectdbParams) X(PQfinish) X(PQstatus) X(PQerrorMessage) X(PQconnectionNeedsPassword) X(PQparameterStatus) \
  X(PQconninfoParse) X(PQconninfoFree) X(PQfreemem) X(PQsetnonblocking) X(PQsetNoticeProcessor) X(PQsocket) X(PQsendQuery) \
  X(PQsendQueryParams) X(PQflush) X(PQconsumeInput) X(PQisBusy) X(PQgetResult) X(PQputCopyData) X(PQputCopyEnd) \
  X(PQresultStatus) X(PQresultErrorField) X(PQntuples) X(PQgetisnull) X(PQgetlength) X(PQgetvalue) X(PQclear)

#define MEMBER(name) __typeof__(&name) name;
static struct { FUNCTIONS(MEMBER) } library;

_Bool cpostgresql_load(void) {
  void *file = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
  if (!file) return 0;
#define FIND(name) \
  if (!(library.name = (__typeof__(&name))dlsym(file, #name))) return 0;
  FUNCTIONS(FIND)
  return 1;
}

PGconn *cpostgresql_connect(const char *url, const char *password) {
  // Later ones count: the URL before the defaults, and the password before the URL's.
  const char *keywords[] = {
      "fallback_application_name", "connect_timeout", "keepalives_idle", "tcp_user_timeout", "dbname", "client_encoding",
      password ? "password" : NULL, NULL};
  const char *values[] = {"rxlocationd", "10", "30", "30000", url, "UTF8", password, NULL};
  return library.PQconnectdbParams(keywords, values, 1);
}

void cpostgresql_finish(PGconn *connection) { library.PQfinish(connection); }

ConnStatusType cpostgresql_status(const PGconn *connection) { return library.PQstatus(connection); }

const char *cpostgresql_errorMessage(const PGconn *connection) { return library.PQerrorMessage(connection); }

_Bool cpostgresql_connectionNeedsPassword(const PGconn *connection) {
  return library.PQconnectionNeedsPassword(connection);
}

const char *cpostgresql_parameterStatus(const PGconn *connection, const char *name) {
  return library.PQparameterStatus(connection, name);
}

PQconninfoOption *cpostgresql_conninfoParse(const char *url, char **message) {
  return library.PQconninfoParse(url, message);
}

void cpostgresql_conninfoFree(PQconninfoOption *options) { library.PQconninfoFree(options); }

void cpostgresql_freemem(void *memory) { library.PQfreemem(memory); }

int cpostgresql_setnonblocking(PGconn *connection, int isNonblocking) {
  return library.PQsetnonblocking(connection, isNonblocking);
}

void cpostgresql_setNoticeProcessor(PGconn *connection, PQnoticeProcessor processor, void *context) {
  library.PQsetNoticeProcessor(connection, processor, context);
}

int cpostgresql_socket(const PGconn *connection) { return library.PQsocket(connection); }

int cpostgresql_sendQuery(PGconn *connection, const char *statements) {
  return library.PQsendQuery(connection, statements);
}

int cpostgresql_sendQueryParams(
    PGconn *connection, const char *statement, int count, const char *const *values, int isBinary) {
  return library.PQsendQueryParams(connection, statement, count, NULL, values, NULL, NULL, isBinary);
}

int cpostgresql_flush(PGconn *connection) { return library.PQflush(connection); }

int cpostgresql_consumeInput(PGconn *connection) { return library.PQconsumeInput(connection); }

int cpostgresql_isBusy(PGconn *connection) { return library.PQisBusy(connection); }

PGresult *cpostgresql_getResult(PGconn *connection) { return library.PQgetResult(connection); }

int cpostgresql_putCopyData(PGconn *connection, const char *bytes, int count) {
  return library.PQputCopyData(connection, bytes, count);
}

int cpostgresql_putCopyEnd(PGconn *connection) { return library.PQputCopyEnd(connection, NULL); }

ExecStatusType cpostgresql_resultStatus(const PGresult *result) { return library.PQresultStatus(result); }

const char *cpostgresql_resultState(const PGresult *result) {
  return library.PQresultErrorField(result, PG_DIAG_SQLSTATE);
}

const char *cpostgresql_resultMessage(const PGresult *result) {
  return library.PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
}

const char *cpostgresql_resultDetail(const PGresult *result) {
  return library.PQresultErrorField(result, PG_DIAG_MESSAGE_DETAIL);
}

const char *cpostgresql_resultHint(const PGresult *result) {
  return library.PQresultErrorField(result, PG_DIAG_MESSAGE_HINT);
}

int cpostgresql_ntuples(const PGresult *result) { return library.PQntuples(result); }

const char *cpostgresql_getvalue(const PGresult *result, int row, int column) {
  return library.PQgetisnull(result, row, column) ? NULL : library.PQgetvalue(result, row, column);
}

int cpostgresql_getlength(const PGresult *result, int row, int column) {
  return library.PQgetlength(result, row, column);
}

void cpostgresql_clear(PGresult *result) { library.PQclear(result); }
